(* SPDX-License-Identifier: Apache-2.0 *)
(* The calculus of doc/noise.md as functions on bounds, and that they hold for every expression at once: whatever
   program is built of sums, factors and products, in whatever order, by whoever sees all values. Nothing is assumed of
   how operands depend on each other. *)
From Coq Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Complex.
From Cyclotome Require Import norms.
Open Scope R_scope.

Record bound := Bound { largest : R; mean : R; canonical : R }.

Section Calculus.

Variable n : nat.
Hypothesis n_positive : (0 < n)%nat.
Let N := INR n.
Variable coefficient : (nat -> C) -> Prop.
Variable d : R.
Hypothesis d_nonneg : 0 <= d.
Hypothesis dual_square : forall w, coefficient w -> sum n (fun k => Cmod (w k) * Cmod (w k)) <= d / N.
Hypothesis dual_values : forall w, coefficient w -> forall k, (k < n)%nat -> Cmod (w k) <= d / N.
(* The real elements: complex conjugation moves every root to another one. *)
Variable conjugate : nat -> nat.
Hypothesis conjugate_moves : forall k, (k < n)%nat -> (conjugate k < n)%nat /\ conjugate k <> k.

Definition real (a : element) := forall k, (k < n)%nat -> a (conjugate k) = Cconj (a k).

(* What ||a||^2 is at most, by the coefficients: the Gram matrix's largest eigenvalue is g n. In x^n + 1 that is Parseval's
   equation, and g is 1. *)
Variable g : R.
Hypothesis g_nonneg : 0 <= g.
Hypothesis gram : forall a x, real a -> bounded_I n coefficient a x -> bounded_E n a (sqrt g * x).

Definition holds (a : element) (b : bound) :=
  real a /\ bounded_I n coefficient a (largest b) /\ bounded_E n a (mean b) /\ bounded_C n a (canonical b).

(* E <= C and E <= sqrt(g) I; I <= sqrt(d n) E; C <= sqrt(n/2) E. *)
Definition tidy (b : bound) :=
  let e := Rmin (Rmin (mean b) (canonical b)) (sqrt g * largest b) in
  Bound (Rmin (largest b) (sqrt (d * N) * e)) e (Rmin (canonical b) (sqrt (N / 2) * e)).

Definition plus (a b : bound) :=
  tidy (Bound (largest a + largest b) (mean a + mean b) (canonical a + canonical b)).
Definition times (f : R) (a : bound) := Bound (Rabs f * largest a) (Rabs f * mean a) (Rabs f * canonical a).
Definition product (a b : bound) :=
  tidy (Bound (d * N * mean a * mean b)
              (Rmin (sqrt N * canonical a * mean b) (sqrt N * canonical b * mean a))
              (sqrt N * canonical a * canonical b)).

Lemma Cmod_conj z : Cmod (Cconj z) = Cmod z.
Proof. unfold Cmod, Cconj; destruct z as [x y]; simpl. f_equal. ring. Qed.

Lemma Rmin_cases (P : R -> Prop) x y : P x -> P y -> P (Rmin x y).
Proof. intros; unfold Rmin; destruct (Rle_dec x y); assumption. Qed.

Theorem tidy_holds a b : holds a b -> holds a (tidy b).
Proof.
  intros [Hr [HI [HE HC]]].
  assert (E : bounded_E n a (Rmin (Rmin (mean b) (canonical b)) (sqrt g * largest b))).
  { apply Rmin_cases; [apply Rmin_cases; [exact HE|apply (E_from_C n n_positive); exact HC]|apply gram; assumption]. }
  repeat split; simpl; try exact Hr; try apply E.
  - apply Rmin_cases; [apply HI|apply Rmult_le_pos; [apply sqrt_pos|apply E]].
  - intros w Hw. apply Rmin_cases; [apply HI; exact Hw|].
    apply (I_from_E n n_positive coefficient d d_nonneg dual_square a _ E); exact Hw.
  - apply Rmin_cases; [apply HC|apply Rmult_le_pos; [apply sqrt_pos|apply E]].
  - intros k Hk. apply (Rmin_cases (fun x => Cmod (a k) <= sqrt (INR n) * x)); [apply HC; exact Hk|].
    apply (C_from_E n n_positive a _ conjugate); [|exact E|exact Hk].
    intros i Hi. destruct (conjugate_moves i Hi) as [H1 H2]. repeat split; auto.
    rewrite Hr by exact Hi. apply Cmod_conj.
Qed.

Theorem plus_holds a b x y : holds a x -> holds b y -> holds (add a b) (plus x y).
Proof.
  intros [Hra [HIa [HEa HCa]]] [Hrb [HIb [HEb HCb]]]. apply tidy_holds.
  split; [|split; [|split]]; simpl.
  - intros k Hk. unfold add. rewrite Hra, Hrb by exact Hk. unfold Cconj, Cplus; simpl. f_equal. ring.
  - apply (sum_I n coefficient); assumption.
  - apply (sum_E n n_positive); assumption.
  - apply (sum_C n); assumption.
Qed.

Theorem times_holds f a x : holds a x -> holds (scale f a) (times f x).
Proof.
  intros [Hr [HI [HE HC]]]. split; [|split; [|split]]; simpl.
  - intros k Hk. unfold scale. rewrite Hr by exact Hk. unfold Cconj, Cmult, RtoC; simpl. f_equal; ring.
  - apply (scale_I n coefficient); assumption.
  - apply (scale_E n); assumption.
  - apply (scale_C n); assumption.
Qed.

Theorem product_holds a b x y : holds a x -> holds b y -> holds (mul a b) (product x y).
Proof.
  intros [Hra [HIa [HEa HCa]]] [Hrb [HIb [HEb HCb]]]. apply tidy_holds.
  split; [|split; [|split]]; simpl.
  - intros k Hk. unfold mul. rewrite Hra, Hrb by exact Hk. unfold Cconj, Cmult; simpl. f_equal; ring.
  - apply (product_I n n_positive coefficient d d_nonneg dual_values); assumption.
  - apply Rmin_cases; [apply (product_E n); assumption|].
    destruct (product_E n b a _ _ HCb HEa) as [P Q]. split; [exact P|].
    eapply Rle_trans; [|exact Q]. apply sum_le. intros k _. unfold mul. right.
    replace (a k * b k)%C with (b k * a k)%C by ring. reflexivity.
  - apply (product_C n); assumption.
Qed.

(* --- programs --- *)

Inductive program :=
  | Atom : nat -> program
  | Sum : program -> program -> program
  | Factor : R -> program -> program
  | Product : program -> program -> program.

Fixpoint value (atoms : nat -> element) (p : program) : element :=
  match p with
  | Atom i => atoms i
  | Sum a b => add (value atoms a) (value atoms b)
  | Factor f a => scale f (value atoms a)
  | Product a b => mul (value atoms a) (value atoms b)
  end.

Fixpoint stated (bounds : nat -> bound) (p : program) : bound :=
  match p with
  | Atom i => bounds i
  | Sum a b => plus (stated bounds a) (stated bounds b)
  | Factor f a => times f (stated bounds a)
  | Product a b => product (stated bounds a) (stated bounds b)
  end.

(* Outside of the event that some atom passes its bound, no program passes its own, however it was chosen. *)
Theorem every_program_holds atoms bounds :
  (forall i, holds (atoms i) (bounds i)) -> forall p, holds (value atoms p) (stated bounds p).
Proof.
  intros H p. induction p as [i|a IHa b IHb|f a IHa|a IHa b IHb]; simpl.
  - apply H.
  - apply plus_holds; assumption.
  - apply times_holds; assumption.
  - apply product_holds; assumption.
Qed.

(* --- the page's operations, as such programs --- *)

(* Dropping a prime: x / q + (rho_0 + rho s). Atoms: 0 is x, 1 is rho_0, 2 is rho, 3 is s. BGV has t times the rest. *)
Definition rounding : program := Sum (Atom 1) (Product (Atom 2) (Atom 3)).
Definition switched (q t : R) : program := Sum (Factor (/ q) (Atom 0)) (Factor t rounding).

Theorem modulus_switch_holds atoms bounds q t :
  (forall i, holds (atoms i) (bounds i)) -> holds (value atoms (switched q t)) (stated bounds (switched q t)).
Proof. intros; apply every_program_holds; assumption. Qed.

(* Key switching: the sum over digits of (D_j / P) d_j y_j, and a rounding. Atoms from 4 on are d_0, y_0, d_1, y_1 ... *)
Fixpoint digits (ratio : nat -> R) (count : nat) : program :=
  match count with
  | O => rounding
  | S j => Sum (digits ratio j) (Factor (ratio j) (Product (Atom (4 + 2 * j)) (Atom (5 + 2 * j))))
  end.

Theorem key_switch_holds atoms bounds ratio count :
  (forall i, holds (atoms i) (bounds i)) ->
  holds (value atoms (Sum (Atom 0) (digits ratio count))) (stated bounds (Sum (Atom 0) (digits ratio count))).
Proof. intros; apply every_program_holds; assumption. Qed.

End Calculus.
