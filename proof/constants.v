(* SPDX-License-Identifier: Apache-2.0 *)
(* The constants of doc/noise.md: that union bounds over coefficients and roots come to 2^-lambda with T and B as they
   are defined there. The tails of single coefficients and values are taken as premises. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

(* 2 n tails of exp(-T^2/2): T = sqrt(2 (Lambda + ln 2n)). *)
Theorem all_coefficients (n Lambda tail : R) :
  0 < n -> 0 <= Lambda + ln (2 * n) -> tail <= exp (- (sqrt (2 * (Lambda + ln (2 * n))) * sqrt (2 * (Lambda + ln (2 * n)))) / 2) ->
  2 * n * tail <= exp (- Lambda).
Proof.
  intros Hn HL H. rewrite sqrt_sqrt in H by lra.
  replace (- (2 * (Lambda + ln (2 * n))) / 2) with (- Lambda + - ln (2 * n)) in H by field.
  rewrite exp_plus, exp_Ropp, (exp_Ropp (ln (2 * n))), exp_ln in H by lra.
  rewrite exp_Ropp. apply Rle_trans with (2 * n * (/ exp Lambda * / (2 * n))).
  - apply Rmult_le_compat_l; lra.
  - right. field. split; first [lra | apply Rgt_not_eq, exp_pos].
Qed.

(* n/2 tails of y e^(1-y) at y = B^2, where B^2 = Lambda + ln(n/2) + 1 + ln B^2. *)
Theorem all_roots (n Lambda y tail : R) :
  0 < n -> 0 < y -> y = Lambda + ln (n / 2) + 1 + ln y -> tail <= y * exp (1 - y) -> n / 2 * tail <= exp (- Lambda).
Proof.
  intros Hn Hy Hfix H.
  assert (E : y * exp (1 - y) = exp (- Lambda) * / (n / 2)).
  { rewrite Hfix at 2. replace (1 - (Lambda + ln (n / 2) + 1 + ln y)) with (- Lambda + (- ln (n / 2) + - ln y)) by ring.
    rewrite !exp_plus, (exp_Ropp (ln (n / 2))), (exp_Ropp (ln y)), !exp_ln by lra. field. split; lra. }
  rewrite E in H. apply Rle_trans with (n / 2 * (exp (- Lambda) * / (n / 2))).
  - apply Rmult_le_compat_l; lra.
  - right. field. lra.
Qed.

(* The product of BFV: with phases q M_i / t + x_i (M_i the message and multiples of t), t/q times their product is
   q M_1 M_2 / t and M_1 x_2 + M_2 x_1 + (t/q) x_1 x_2; and M_i = (t/q) phase_i - (t/q) x_i. *)
Theorem bfv_product (q t M1 M2 x1 x2 : R) :
  q <> 0 -> t <> 0 ->
  t / q * ((q / t * M1 + x1) * (q / t * M2 + x2)) = q / t * (M1 * M2) + (M1 * x2 + M2 * x1 + t / q * (x1 * x2)).
Proof. intros. field. split; assumption. Qed.

Theorem bfv_quotient (q t P x1 x2 y1 y2 Q1 Q2 : R) :
  q <> 0 -> t <> 0 -> P = t / q ->
  (* phases y_i + q r_i: Q_i = P (y_i + q r_i) is what the factors carry *)
  Q1 = P * y1 -> Q2 = P * y2 ->
  (Q1 - P * x1) * x2 + (Q2 - P * x2) * x1 + P * (x1 * x2) = Q1 * x2 + Q2 * x1 - P * (x1 * x2).
Proof. intros. subst. ring. Qed.

(* A stated noise of at most 15/16 of the limit rounds to the message: |x| <= 15/16 q/(2t) leaves less than a half. *)
Theorem decryption_rounds (q t m x : R) :
  0 < q -> 0 < t -> Rabs x <= 15 / 16 * (q / (2 * t)) -> Rabs (t / q * (q / t * m + x) - m) < 1 / 2.
Proof.
  intros Hq Ht H. replace (t / q * (q / t * m + x) - m) with (t / q * x) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (t / q)) by (apply Rlt_le, Rdiv_lt_0_compat; assumption).
  apply Rle_lt_trans with (t / q * (15 / 16 * (q / (2 * t)))).
  - apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; assumption|exact H].
  - replace (t / q * (15 / 16 * (q / (2 * t)))) with (15 / 32) by (field; lra). lra.
Qed.

(* BGV: the phase m + t e, at most 15/16 q/2, is its own centred representative, so that it is m modulo t. *)
Theorem bgv_is_centred (q x k : R) : 0 < q -> Rabs x <= 15 / 16 * (q / 2) -> Rabs (x - k * q) <= q / 2 -> Rabs k < 1.
Proof.
  intros Hq Hx H.
  assert (Rabs (k * q) <= 31 / 32 * q).
  { replace (k * q) with (x - (x - k * q)) by ring.
    eapply Rle_trans; [apply (Rabs_triang x (- (x - k * q)))|]. rewrite Rabs_Ropp. lra. }
  rewrite Rabs_mult, (Rabs_pos_eq q) in H0 by lra.
  apply (Rmult_lt_reg_r q); [exact Hq|]. lra.
Qed.
