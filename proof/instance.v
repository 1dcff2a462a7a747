(* SPDX-License-Identifier: Apache-2.0 *)
(* The premises are not empty: in the ring of x^2 + 1 the integers a + b i, whose two coefficients are read by
   functionals of square length 1/2, fulfil all of them, with d = 1 and g = 1. And what the proofs rest on. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Complex.
From Cyclotome Require Import norms calculus constants.
Open Scope R_scope.

(* Values at i and -i; coefficients (v_0 + v_1)/2 and (v_0 - v_1)/(2 i). *)
Definition constant_term : nat -> C := fun _ => RtoC (/ 2).
Definition linear_term : nat -> C := fun k => match k with O => (0, - / 2) | _ => (0, / 2) end.
Definition coefficient w := w = constant_term \/ w = linear_term.
Definition conjugate k := match k with O => 1%nat | _ => 0%nat end.

Lemma half_modulus w k : coefficient w -> Cmod (w k) = / 2.
Proof.
  assert (S : forall x, x = - / 2 \/ x = / 2 -> sqrt (0 * (0 * 1) + x * (x * 1)) = / 2).
  { intros x Hx. replace (0 * (0 * 1) + x * (x * 1)) with (/ 2 * / 2) by (destruct Hx; subst; field).
    apply sqrt_square. lra. }
  intros [->| ->]; unfold constant_term, linear_term.
  - rewrite Cmod_R, Rabs_pos_eq; lra.
  - destruct k; unfold Cmod; simpl; apply S; auto.
Qed.

Lemma squares w : coefficient w -> sum 2 (fun k => Cmod (w k) * Cmod (w k)) <= 1 / INR 2.
Proof. intros H. simpl. rewrite !half_modulus by exact H. lra. Qed.

Lemma values w : coefficient w -> forall k, (k < 2)%nat -> Cmod (w k) <= 1 / INR 2.
Proof. intros H k _. rewrite half_modulus by exact H. simpl. lra. Qed.

Lemma moves k : (k < 2)%nat -> (conjugate k < 2)%nat /\ conjugate k <> k.
Proof. intros H. destruct k as [|[|k]]; simpl; lia. Qed.

Lemma parseval a x : real 2 conjugate a -> bounded_I 2 coefficient a x -> bounded_E 2 a (sqrt 1 * x).
Proof.
  intros Hr [Hx HI]. rewrite sqrt_1. split; [lra|].
  assert (H0 := HI constant_term (or_introl eq_refl)). assert (H1 := HI linear_term (or_intror eq_refl)).
  assert (E : a 1%nat = Cconj (a 0%nat)) by (apply (Hr 0%nat); lia).
  unfold bounded_E. simpl sum. simpl csum in H0, H1. rewrite E in *. destruct (a 0%nat) as [u v].
  match type of H0 with Cmod ?z <= _ => replace z with (RtoC u) in H0 end.
  2:{ unfold constant_term, Cconj, Cplus, Cmult, RtoC; simpl. f_equal; field. }
  match type of H1 with Cmod ?z <= _ => replace z with (RtoC v) in H1 end.
  2:{ unfold linear_term, Cconj, Cplus, Cmult, RtoC; simpl. f_equal; field. }
  rewrite Cmod_R in H0. rewrite Cmod_R in H1.
  rewrite Cmod_conj. unfold Cmod; simpl. rewrite sqrt_sqrt.
  2:{ assert (0 <= u * u) by apply Rle_0_sqr. assert (0 <= v * v) by apply Rle_0_sqr. lra. }
  assert (u * u <= x * x) by (apply Rsqr_le_abs_1; rewrite (Rabs_pos_eq x) by lra; exact H0).
  assert (v * v <= x * x) by (apply Rsqr_le_abs_1; rewrite (Rabs_pos_eq x) by lra; exact H1).
  nra.
Qed.

Theorem gaussian_integers atoms bounds p :
  (forall i, holds 2 coefficient conjugate (atoms i) (bounds i)) ->
  holds 2 coefficient conjugate (value atoms p) (stated 2 1 1 bounds p).
Proof.
  intros H. apply every_program_holds; try exact H.
  - lia.
  - lra.
  - exact squares.
  - exact values.
  - exact moves.
  - exact parseval.
Qed.

Print Assumptions gaussian_integers.
Print Assumptions every_program_holds.
Print Assumptions all_roots.
