(* SPDX-License-Identifier: Apache-2.0 *)
(* Products of ciphertexts, and encapsulation: what their errors are, value by value, and that the page's formulas bound
   them, as programs of calculus.v. *)
From Coq Require Import Reals Lra Lia Arith ZArith.
From Coquelicot Require Import Complex.
From Cyclotome Require Import norms calculus.
Open Scope R_scope.

(* --- what the error is --- *)

(* Phases q M_i / t + x_i: t/q times their product is q M_1 M_2 / t and an error, in which the quotients Q_i = (t/q) phase
   stand for what is public of M_i. *)
Theorem bfv_error (q t : R) (M1 M2 x1 x2 : C) :
  q <> 0 -> t <> 0 ->
  let phase1 := (RtoC (q / t) * M1 + x1)%C in
  let phase2 := (RtoC (q / t) * M2 + x2)%C in
  let Q1 := (RtoC (t / q) * phase1)%C in
  let Q2 := (RtoC (t / q) * phase2)%C in
  (RtoC (t / q) * (phase1 * phase2) =
   RtoC (q / t) * (M1 * M2) + (x1 * Q2 + x2 * Q1 + RtoC (- (t / q)) * (x1 * x2)))%C.
Proof.
  intros Hq Ht phase1 phase2 Q1 Q2. unfold Q1, Q2, phase1, phase2.
  assert (E : (RtoC (t / q) * RtoC (q / t) = 1)%C).
  { rewrite <- RtoC_mult. f_equal. field. split; assumption. }
  rewrite RtoC_opp. set (a := RtoC (t / q)) in *. set (b := RtoC (q / t)) in *.
  replace (b * (M1 * M2))%C with (a * b * b * (M1 * M2))%C by (rewrite E; ring).
  replace (a * ((b * M1 + x1) * (b * M2 + x2)))%C
    with (a * b * b * (M1 * M2) + (a * b) * (M1 * x2 + M2 * x1) + a * (x1 * x2))%C by ring.
  replace (x1 * (a * (b * M2 + x2)) + x2 * (a * (b * M1 + x1)) + - a * (x1 * x2))%C
    with ((a * b) * (M1 * x2 + M2 * x1) + a * (x1 * x2))%C by ring.
  ring.
Qed.

(* BGV: phases multiply, and nothing is rounded. *)
Theorem bgv_error (t : R) (m1 m2 e1 e2 : C) :
  ((m1 + RtoC t * e1) * (m2 + RtoC t * e2) =
   m1 * m2 + RtoC t * (m1 * e2 + m2 * e1 + RtoC t * (e1 * e2)))%C.
Proof. ring. Qed.

(* A key switch from s to s' by one digit: d is a P-multiple's worth of the part, (b, a) = (P s + e - a s', a). *)
Theorem switch_error (P : R) (c0 d s s' e a : C) :
  P <> 0 -> (c0 + RtoC (/ P) * (d * (RtoC P * s + e - a * s') + d * a * s') = c0 + d * s + RtoC (/ P) * (d * e))%C.
Proof.
  intros HP. assert (E : (RtoC (/ P) * RtoC P = 1)%C) by (rewrite <- RtoC_mult, Rinv_l by exact HP; reflexivity).
  replace (RtoC (/ P) * (d * (RtoC P * s + e - a * s') + d * a * s'))%C
    with ((RtoC (/ P) * RtoC P) * (d * s) + RtoC (/ P) * (d * e))%C by ring.
  rewrite E. ring.
Qed.

Section Products.

Variable n : nat.
Hypothesis n_positive : (0 < n)%nat.
Let N := INR n.
Variable coefficient : (nat -> C) -> Prop.
Variable d : R.
Hypothesis d_nonneg : 0 <= d.
Hypothesis dual_square : forall w, coefficient w -> sum n (fun k => Cmod (w k) * Cmod (w k)) <= d / N.
Hypothesis dual_values : forall w, coefficient w -> forall k, (k < n)%nat -> Cmod (w k) <= d / N.
Variable conjugate : nat -> nat.
Hypothesis conjugate_moves : forall k, (k < n)%nat -> (conjugate k < n)%nat /\ conjugate k <> k.
Variable g : R.
Hypothesis gram : forall a x, real n conjugate a -> bounded_I n coefficient a x -> bounded_E n a (sqrt g * x).

Let holds := holds n coefficient conjugate.
Let stated := stated n d g.
Let every := every_program_holds n n_positive coefficient d d_nonneg dual_square dual_values conjugate conjugate_moves g
                                 gram.

(* Atoms: 0 and 1 are x_1 and x_2, 2, 3 and 4 are rho_0, rho and s. R is what a rounding leaves of two parts, three of
   three; quotients are t R. *)
Definition two_parts : program := Sum (Atom 2) (Product (Atom 3) (Atom 4)).
Definition three_parts : program := Sum two_parts (Product (Product (Atom 3) (Atom 4)) (Atom 4)).
Definition quotient (t : R) : program := Factor t two_parts.
Definition scaling (t : R) : program := Sum three_parts (Factor (1 / 16) (Product (quotient t) two_parts)).
Definition bfv_product (q t : R) : program :=
  Sum (Sum (Sum (Product (Atom 0) (quotient t)) (Product (Atom 1) (quotient t))) (Factor (t / q) (Product (Atom 0) (Atom 1))))
      (scaling t).

(* The two factors' quotients are other elements of the same bound, and the sign of the last product changes none: so
   with an atom of its own for each, and the same bounds, the program's bound is the same one. *)
Definition bfv_error_program (q t : R) : program :=
  Sum (Sum (Sum (Product (Atom 0) (Atom 6)) (Product (Atom 1) (Atom 5))) (Factor (- (t / q)) (Product (Atom 0) (Atom 1))))
      (Atom 7).

Theorem bfv_product_holds atoms bounds q t :
  0 < q -> 0 < t ->
  (forall i, holds (atoms i) (bounds i)) ->
  bounds 5%nat = stated bounds (quotient t) -> bounds 6%nat = stated bounds (quotient t) ->
  bounds 7%nat = stated bounds (scaling t) ->
  holds (value atoms (bfv_error_program q t)) (stated bounds (bfv_product q t)).
Proof.
  intros Hq Ht H H5 H6 H7.
  assert (A := every atoms bounds H (bfv_error_program q t)).
  assert (E : calculus.stated n d g bounds (bfv_error_program q t) = stated bounds (bfv_product q t)).
  { unfold stated, bfv_error_program, bfv_product. simpl. unfold stated in H5, H6, H7. rewrite H5, H6, H7. simpl.
    do 2 f_equal. unfold times. rewrite Rabs_Ropp. reflexivity. }
  rewrite E in A. exact A.
Qed.

(* Encapsulation: the noise, one digit times its key's error over the special prime, and a rounding. Atoms: 0 the noise,
   1 the digit, 2 the error, 3 the rounding. *)
Definition encapsulated (q P : R) : program := Sum (Atom 0) (Sum (Factor (q / P) (Product (Atom 1) (Atom 2))) (Atom 3)).

Theorem encapsulation_holds atoms bounds q P :
  (forall i, holds (atoms i) (bounds i)) -> holds (value atoms (encapsulated q P)) (stated bounds (encapsulated q P)).
Proof. intros H. apply every; exact H. Qed.

End Products.

(* Under a secret of h coefficients other than 0, each of magnitude 1, what a rounding leaves has coefficients of at most
   (1 + h)/2, whatever was rounded: one of part 0, and of the other part one for each of these. *)
Fixpoint signed (h : nat) (sign rho : nat -> R) : R :=
  match h with O => 0 | S k => signed k sign rho + sign k * rho k end.

Theorem sparse_rounding (h : nat) (sign rho : nat -> R) (rho0 half : R) :
  0 <= half -> Rabs rho0 <= half -> (forall k, (k < h)%nat -> Rabs (sign k) = 1 /\ Rabs (rho k) <= half) ->
  Rabs (rho0 + signed h sign rho) <= half * (1 + INR h).
Proof.
  intros Hh H0. induction h as [|h IH]; intros H.
  - simpl. rewrite Rplus_0_r, Rplus_0_r, Rmult_1_r. exact H0.
  - rewrite S_INR. simpl signed. rewrite <- Rplus_assoc. eapply Rle_trans; [apply Rabs_triang|].
    assert (A : Rabs (rho0 + signed h sign rho) <= half * (1 + INR h)) by (apply IH; intros; apply H; lia).
    destruct (H h (Nat.lt_succ_diag_r h)) as [S R]. rewrite Rabs_mult, S, Rmult_1_l. lra.
Qed.

(* So with h = 2 B the digit z that a refresh removes, such a sum and less than one half, is at most B. *)
Theorem digit_is_small (B : nat) (z : Z) (x e : R) :
  Rabs x <= 1 / 2 * (1 + INR (2 * B)) -> Rabs e < 1 / 2 -> IZR z = x + e -> (Z.abs z <= Z.of_nat B)%Z.
Proof.
  intros Hx He E. assert (A : IZR (Z.abs z) < IZR (Z.of_nat B + 1)).
  { rewrite abs_IZR, E, plus_IZR, <- INR_IZR_INZ. eapply Rle_lt_trans; [apply Rabs_triang|].
    rewrite mult_INR in Hx. simpl in Hx. lra. }
  apply lt_IZR in A. lia.
Qed.

Print Assumptions bfv_product_holds.
Print Assumptions sparse_rounding.
