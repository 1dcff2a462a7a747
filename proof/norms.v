(* SPDX-License-Identifier: Apache-2.0 *)
(* The three norms of doc/noise.md and what sums, factors and products make of them.

   An element of the ring is its values at n roots of unity. Sums and products are taken root by root, which is what
   makes that the same in x^n + 1 and in Phi_m. A coefficient is a linear functional of the values, w: the page's dual
   vectors, of square length at most d/n and with values of at most d/n. Nothing else of a ring is used. *)
From Coq Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Complex.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => sum k f + f k end.
Fixpoint csum (n : nat) (f : nat -> C) : C := match n with O => 0%C | S k => (csum k f + f k)%C end.

Lemma sum_le n f g : (forall k, (k < n)%nat -> f k <= g k) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros H; simpl; [lra|].
  assert (f n <= g n) by (apply H; lia).
  assert (sum n f <= sum n g) by (apply IH; intros; apply H; lia). lra.
Qed.

Lemma sum_nonneg n f : (forall k, (k < n)%nat -> 0 <= f k) -> 0 <= sum n f.
Proof.
  induction n as [|n IH]; intros H; simpl; [lra|].
  assert (0 <= f n) by (apply H; lia).
  assert (0 <= sum n f) by (apply IH; intros; apply H; lia). lra.
Qed.

Lemma sum_scale n a f : sum n (fun k => a * f k) = a * sum n f.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_plus n f g : sum n (fun k => f k + g k) = sum n f + sum n g.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_const n a : sum n (fun _ => a) = INR n * a.
Proof. induction n as [|n IH]; [simpl; ring|]. rewrite S_INR; simpl sum; rewrite IH; ring. Qed.

Lemma sum_member n f k : (forall i, (i < n)%nat -> 0 <= f i) -> (k < n)%nat -> f k <= sum n f.
Proof.
  induction n as [|n IH]; intros H Hk; [lia|]. simpl.
  assert (0 <= sum n f) by (apply sum_nonneg; intros; apply H; lia).
  destruct (Nat.eq_dec k n) as [->|Hne]; [lra|].
  assert (f k <= sum n f) by (apply IH; [intros; apply H; lia|lia]).
  assert (0 <= f n) by (apply H; lia). lra.
Qed.

Lemma sum_two n f i j :
  (forall k, (k < n)%nat -> 0 <= f k) -> (i < n)%nat -> (j < n)%nat -> i <> j -> f i + f j <= sum n f.
Proof.
  induction n as [|n IH]; intros H Hi Hj Hij; [lia|]. simpl.
  assert (P : forall k, (k < n)%nat -> 0 <= f k) by (intros; apply H; lia).
  destruct (Nat.eq_dec i n) as [->|Hin].
  - assert (f j <= sum n f) by (apply sum_member; [exact P|lia]). lra.
  - destruct (Nat.eq_dec j n) as [->|Hjn].
    + assert (f i <= sum n f) by (apply sum_member; [exact P|lia]). lra.
    + assert (f i + f j <= sum n f) by (apply IH; [exact P|lia|lia|exact Hij]).
      assert (0 <= f n) by (apply H; lia). lra.
Qed.

Lemma csum_triangle n f : Cmod (csum n f) <= sum n (fun k => Cmod (f k)).
Proof.
  induction n as [|n IH]; simpl; [rewrite Cmod_0; lra|].
  eapply Rle_trans; [apply Cmod_triangle|lra].
Qed.

Lemma csum_plus n f g : csum n (fun k => (f k + g k)%C) = (csum n f + csum n g)%C.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma csum_scale n a f : csum n (fun k => (a * f k)%C) = (a * csum n f)%C.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma csum_ext n f g : (forall k, (k < n)%nat -> f k = g k) -> csum n f = csum n g.
Proof.
  induction n as [|n IH]; intros H; simpl; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

(* Cauchy and Schwarz, by the discriminant: no division. *)
Lemma cauchy_schwarz n f g :
  (forall k, (k < n)%nat -> 0 <= f k) -> (forall k, (k < n)%nat -> 0 <= g k) ->
  sum n (fun k => f k * g k) * sum n (fun k => f k * g k) <=
  sum n (fun k => f k * f k) * sum n (fun k => g k * g k).
Proof.
  intros Hf Hg.
  set (A := sum n (fun k => f k * f k)). set (B := sum n (fun k => f k * g k)). set (D := sum n (fun k => g k * g k)).
  assert (Q : forall x y, 0 <= x * x * A - 2 * (x * y) * B + y * y * D).
  { intros x y.
    replace (x * x * A - 2 * (x * y) * B + y * y * D) with (sum n (fun k => (x * f k - y * g k) * (x * f k - y * g k))).
    - apply sum_nonneg; intros; apply Rle_0_sqr.
    - unfold A, B, D. rewrite <- !sum_scale.
      replace (sum n (fun k => x * x * (f k * f k)) - sum n (fun k => 2 * (x * y) * (f k * g k)))
        with (sum n (fun k => x * x * (f k * f k)) + -1 * sum n (fun k => 2 * (x * y) * (f k * g k))) by ring.
      rewrite <- sum_scale, <- !sum_plus. clear. induction n as [|n IH]; simpl; [reflexivity|rewrite IH; ring]. }
  assert (0 <= A) by (apply sum_nonneg; intros; apply Rle_0_sqr).
  assert (0 <= D) by (apply sum_nonneg; intros; apply Rle_0_sqr).
  specialize (Q B A) as Q1. (* x = B, y = A: A (A D - B^2) >= 0 *)
  destruct (Req_dec A 0) as [HA|HA].
  - (* then B is 0 as well, by y = 1 and any x *)
    assert (B = 0).
    { destruct (Req_dec B 0) as [HB|HB]; [exact HB|exfalso].
      specialize (Q ((D + 1) / (2 * B)) 1). rewrite HA in Q.
      replace ((D + 1) / (2 * B) * ((D + 1) / (2 * B)) * 0 - 2 * ((D + 1) / (2 * B) * 1) * B + 1 * 1 * D)
        with (-1) in Q by (field; exact HB). lra. }
    rewrite H1, HA. lra.
  - assert (0 < A) by lra. nra.
Qed.

Section Ring.

Variable n : nat.
Hypothesis n_positive : (0 < n)%nat.
Let N := INR n.

Lemma N_positive : 0 < N.
Proof. unfold N. apply lt_0_INR. exact n_positive. Qed.

(* The functionals that read coefficients, and what is known of them. *)
Variable coefficient : (nat -> C) -> Prop.
Variable d : R.
Hypothesis d_nonneg : 0 <= d.
Hypothesis dual_square : forall w, coefficient w -> sum n (fun k => Cmod (w k) * Cmod (w k)) <= d / N.
Hypothesis dual_values : forall w, coefficient w -> forall k, (k < n)%nat -> Cmod (w k) <= d / N.

Definition element := nat -> C.
Definition add (a b : element) : element := fun k => (a k + b k)%C.
Definition mul (a b : element) : element := fun k => (a k * b k)%C.
Definition scale (f : R) (a : element) : element := fun k => (RtoC f * a k)%C.

(* Bounds: of the largest coefficient, of the mean square on the roots, of the largest value. *)
Definition bounded_I (a : element) (x : R) :=
  0 <= x /\ forall w, coefficient w -> Cmod (csum n (fun k => (w k * a k)%C)) <= x.
Definition bounded_E (a : element) (x : R) :=
  0 <= x /\ sum n (fun k => Cmod (a k) * Cmod (a k)) <= (N * x) * (N * x).
Definition bounded_C (a : element) (x : R) := 0 <= x /\ forall k, (k < n)%nat -> Cmod (a k) <= sqrt N * x.

Lemma square_le x y : 0 <= x -> 0 <= y -> x * x <= y * y -> x <= y.
Proof. intros; nra. Qed.

Lemma sqrt_N : sqrt N * sqrt N = N.
Proof. apply sqrt_sqrt. left. exact N_positive. Qed.

(* --- sums --- *)

Theorem sum_I a b x y : bounded_I a x -> bounded_I b y -> bounded_I (add a b) (x + y).
Proof.
  intros [Hx Ha] [Hy Hb]; split; [lra|]. intros w Hw. unfold add.
  rewrite (csum_ext n _ (fun k => (w k * a k + w k * b k)%C)) by (intros; ring).
  rewrite csum_plus. eapply Rle_trans; [apply Cmod_triangle|].
  specialize (Ha w Hw). specialize (Hb w Hw). lra.
Qed.

Theorem sum_C a b x y : bounded_C a x -> bounded_C b y -> bounded_C (add a b) (x + y).
Proof.
  intros [Hx Ha] [Hy Hb]; split; [lra|]. intros k Hk. unfold add.
  eapply Rle_trans; [apply Cmod_triangle|]. specialize (Ha k Hk). specialize (Hb k Hk). lra.
Qed.

Theorem sum_E a b x y : bounded_E a x -> bounded_E b y -> bounded_E (add a b) (x + y).
Proof.
  intros [Hx Ha] [Hy Hb]; split; [lra|]. unfold add.
  set (f := fun k => Cmod (a k)). set (g := fun k => Cmod (b k)).
  assert (Pf : forall k, (k < n)%nat -> 0 <= f k) by (intros; apply Cmod_ge_0).
  assert (Pg : forall k, (k < n)%nat -> 0 <= g k) by (intros; apply Cmod_ge_0).
  assert (T : sum n (fun k => Cmod (a k + b k)%C * Cmod (a k + b k)%C) <=
              sum n (fun k => f k * f k) + 2 * sum n (fun k => f k * g k) + sum n (fun k => g k * g k)).
  { rewrite <- sum_scale, <- !sum_plus. apply sum_le. intros k _. unfold f, g.
    assert (Cmod (a k + b k)%C <= Cmod (a k) + Cmod (b k)) by apply Cmod_triangle.
    assert (0 <= Cmod (a k + b k)%C) by apply Cmod_ge_0. nra. }
  assert (S := cauchy_schwarz n f g Pf Pg).
  assert (0 <= sum n (fun k => f k * g k)) by (apply sum_nonneg; intros; apply Rmult_le_pos; auto).
  assert (HN := N_positive).
  assert (M : sum n (fun k => f k * g k) <= (N * x) * (N * y)).
  { apply square_le; [assumption| |].
    - apply Rmult_le_pos; apply Rmult_le_pos; lra.
    - eapply Rle_trans; [exact S|].
      replace (N * x * (N * y) * (N * x * (N * y))) with ((N * x * (N * x)) * (N * y * (N * y))) by ring.
      apply Rmult_le_compat; try assumption; apply sum_nonneg; intros; apply Rle_0_sqr. }
  unfold f, g in *. nra.
Qed.

(* --- factors --- *)

Lemma Cmod_real f : Cmod (RtoC f) = Rabs f.
Proof. apply Cmod_R. Qed.

Theorem scale_I f a x : bounded_I a x -> bounded_I (scale f a) (Rabs f * x).
Proof.
  intros [Hx Ha]; split; [apply Rmult_le_pos; [apply Rabs_pos|exact Hx]|]. intros w Hw. unfold scale.
  rewrite (csum_ext n _ (fun k => (RtoC f * (w k * a k))%C)) by (intros; ring).
  rewrite csum_scale, Cmod_mult, Cmod_real. apply Rmult_le_compat_l; [apply Rabs_pos|auto].
Qed.

Theorem scale_C f a x : bounded_C a x -> bounded_C (scale f a) (Rabs f * x).
Proof.
  intros [Hx Ha]; split; [apply Rmult_le_pos; [apply Rabs_pos|exact Hx]|]. intros k Hk. unfold scale.
  rewrite Cmod_mult, Cmod_real. specialize (Ha k Hk). assert (0 <= Rabs f) by apply Rabs_pos.
  replace (sqrt N * (Rabs f * x)) with (Rabs f * (sqrt N * x)) by ring. apply Rmult_le_compat_l; assumption.
Qed.

Theorem scale_E f a x : bounded_E a x -> bounded_E (scale f a) (Rabs f * x).
Proof.
  intros [Hx Ha]; split; [apply Rmult_le_pos; [apply Rabs_pos|exact Hx]|]. unfold scale.
  assert (0 <= Rabs f) by apply Rabs_pos.
  eapply Rle_trans with (sum n (fun k => (Rabs f * Rabs f) * (Cmod (a k) * Cmod (a k)))).
  - apply sum_le. intros k _. rewrite Cmod_mult, Cmod_real. right. ring.
  - rewrite sum_scale. replace (N * (Rabs f * x) * (N * (Rabs f * x))) with (Rabs f * Rabs f * (N * x * (N * x))) by ring.
    apply Rmult_le_compat_l; [nra|exact Ha].
Qed.

(* --- products --- *)

Theorem product_C a b x y : bounded_C a x -> bounded_C b y -> bounded_C (mul a b) (sqrt N * x * y).
Proof.
  intros [Hx Ha] [Hy Hb]. assert (0 <= sqrt N) by apply sqrt_pos. split; [repeat apply Rmult_le_pos; assumption|].
  intros k Hk. unfold mul. rewrite Cmod_mult. specialize (Ha k Hk). specialize (Hb k Hk).
  replace (sqrt N * (sqrt N * x * y)) with ((sqrt N * x) * (sqrt N * y)) by ring.
  apply Rmult_le_compat; auto using Cmod_ge_0.
Qed.

Theorem product_E a b x y : bounded_C a x -> bounded_E b y -> bounded_E (mul a b) (sqrt N * x * y).
Proof.
  intros [Hx Ha] [Hy Hb]. assert (0 <= sqrt N) by apply sqrt_pos. split; [repeat apply Rmult_le_pos; assumption|].
  unfold mul. eapply Rle_trans with (sum n (fun k => (sqrt N * x) * (sqrt N * x) * (Cmod (b k) * Cmod (b k)))).
  - apply sum_le. intros k Hk. rewrite Cmod_mult. specialize (Ha k Hk).
    assert (0 <= Cmod (a k)) by apply Cmod_ge_0. assert (0 <= Cmod (b k)) by apply Cmod_ge_0.
    replace (Cmod (a k) * Cmod (b k) * (Cmod (a k) * Cmod (b k)))
      with (Cmod (a k) * Cmod (a k) * (Cmod (b k) * Cmod (b k))) by ring.
    apply Rmult_le_compat_r; [nra|]. apply Rmult_le_compat; assumption.
  - rewrite sum_scale.
    replace (N * (sqrt N * x * y) * (N * (sqrt N * x * y))) with ((sqrt N * x) * (sqrt N * x) * (N * y * (N * y))) by ring.
    apply Rmult_le_compat_l; [apply Rle_0_sqr|exact Hb].
Qed.

Lemma mul_comm a b k : mul a b k = mul b a k.
Proof. unfold mul. ring. Qed.

Theorem product_I a b x y : bounded_E a x -> bounded_E b y -> bounded_I (mul a b) (d * N * x * y).
Proof.
  intros [Hx Ha] [Hy Hb]. assert (HN := N_positive).
  split; [repeat apply Rmult_le_pos; lra|]. intros w Hw. unfold mul.
  eapply Rle_trans; [apply csum_triangle|].
  set (f := fun k => Cmod (a k)). set (g := fun k => Cmod (b k)).
  assert (Pf : forall k, (k < n)%nat -> 0 <= f k) by (intros; apply Cmod_ge_0).
  assert (Pg : forall k, (k < n)%nat -> 0 <= g k) by (intros; apply Cmod_ge_0).
  eapply Rle_trans with (sum n (fun k => d / N * (f k * g k))).
  - apply sum_le. intros k Hk. rewrite !Cmod_mult. unfold f, g.
    apply Rmult_le_compat; [apply Cmod_ge_0|apply Rmult_le_pos; apply Cmod_ge_0|apply dual_values; assumption|right; reflexivity].
  - rewrite sum_scale.
    assert (S := cauchy_schwarz n f g Pf Pg).
    assert (0 <= sum n (fun k => f k * g k)) by (apply sum_nonneg; intros; apply Rmult_le_pos; auto).
    assert (M : sum n (fun k => f k * g k) <= (N * x) * (N * y)).
    { apply square_le; [assumption| |].
      - apply Rmult_le_pos; apply Rmult_le_pos; lra.
      - eapply Rle_trans; [exact S|].
        replace (N * x * (N * y) * (N * x * (N * y))) with ((N * x * (N * x)) * (N * y * (N * y))) by ring.
        apply Rmult_le_compat; try assumption; apply sum_nonneg; intros; apply Rle_0_sqr. }
    assert (0 <= d / N) by (apply Rmult_le_pos; [exact d_nonneg|left; apply Rinv_0_lt_compat; exact HN]).
    replace (d * N * x * y) with (d / N * (N * x * (N * y))) by (field; lra).
    apply Rmult_le_compat_l; assumption.
Qed.

(* --- what the norms allow each other: tidy --- *)

Theorem E_from_C a x : bounded_C a x -> bounded_E a x.
Proof.
  intros [Hx Ha]; split; [exact Hx|].
  eapply Rle_trans with (sum n (fun _ => (sqrt N * x) * (sqrt N * x))).
  - apply sum_le. intros k Hk. specialize (Ha k Hk). assert (0 <= Cmod (a k)) by apply Cmod_ge_0.
    apply Rmult_le_compat; assumption.
  - rewrite sum_const. fold N. right. replace (sqrt N * x * (sqrt N * x)) with (sqrt N * sqrt N * (x * x)) by ring.
    rewrite sqrt_N. ring.
Qed.

Theorem I_from_E a x : bounded_E a x -> bounded_I a (sqrt (d * N) * x).
Proof.
  intros [Hx Ha]. assert (HN := N_positive).
  split; [apply Rmult_le_pos; [apply sqrt_pos|exact Hx]|]. intros w Hw.
  eapply Rle_trans; [apply csum_triangle|].
  set (f := fun k => Cmod (w k)). set (g := fun k => Cmod (a k)).
  assert (Pf : forall k, (k < n)%nat -> 0 <= f k) by (intros; apply Cmod_ge_0).
  assert (Pg : forall k, (k < n)%nat -> 0 <= g k) by (intros; apply Cmod_ge_0).
  eapply Rle_trans with (sum n (fun k => f k * g k)).
  - apply sum_le. intros k _. rewrite Cmod_mult. right. reflexivity.
  - apply square_le; [apply sum_nonneg; intros; apply Rmult_le_pos; auto|apply Rmult_le_pos; [apply sqrt_pos|exact Hx]|].
    eapply Rle_trans; [apply (cauchy_schwarz n f g Pf Pg)|].
    replace (sqrt (d * N) * x * (sqrt (d * N) * x)) with (sqrt (d * N) * sqrt (d * N) * (x * x)) by ring.
    rewrite sqrt_sqrt by (apply Rmult_le_pos; lra).
    replace (d * N * (x * x)) with (d / N * (N * x * (N * x))) by (field; lra).
    apply Rmult_le_compat; try (apply sum_nonneg; intros; apply Rle_0_sqr); [apply dual_square; exact Hw|exact Ha].
Qed.

(* Real polynomials: the value at the conjugate root is the conjugate, and no root is real. *)
Theorem C_from_E a x (conjugate : nat -> nat) :
  (forall k, (k < n)%nat -> (conjugate k < n)%nat /\ conjugate k <> k /\ Cmod (a (conjugate k)) = Cmod (a k)) ->
  bounded_E a x -> bounded_C a (sqrt (N / 2) * x).
Proof.
  intros H [Hx Ha]. assert (HN := N_positive). split; [apply Rmult_le_pos; [apply sqrt_pos|exact Hx]|].
  intros k Hk. destruct (H k Hk) as [Hc [Hne Heq]].
  apply square_le; [apply Cmod_ge_0|repeat apply Rmult_le_pos; try apply sqrt_pos; exact Hx|].
  assert (T := sum_two n (fun k => Cmod (a k) * Cmod (a k)) k (conjugate k) (fun i _ => Rle_0_sqr (Cmod (a i))) Hk Hc
               (not_eq_sym Hne)). simpl in T. rewrite Heq in T.
  replace (sqrt N * (sqrt (N / 2) * x) * (sqrt N * (sqrt (N / 2) * x)))
    with (sqrt N * sqrt N * (sqrt (N / 2) * sqrt (N / 2)) * (x * x)) by ring.
  rewrite sqrt_N, sqrt_sqrt by lra. nra.
Qed.

End Ring.
