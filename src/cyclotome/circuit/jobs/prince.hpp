// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/circuit.hpp"

namespace cyclotome::circuit {

/// The block cipher PRINCE (Borghoff et al., ASIACRYPT 2012) over bits, under an encrypted key: 64 wires each as inputs
/// "data", "k0", "k1" and as the output "data". Wire i of a port is bit i of the number, from the most significant bit
/// on.
///
/// Its twelve S-box layers take two products one after the other each: depth 24, 1824 products and 1152
/// relinearisations (specification 2.3; paper 002 computes 1920 products).
Circuit prince_encryption();
/// The other way, by the cipher's reflection: encryption with k0 and k0' exchanged and k1 + alpha for k1.
Circuit prince_decryption();

/// A part of the encryption: from the state after S-box layer `first` - 1 to that after S-box layer `last`; layers are
/// counted from 1 to 12. Layer 1 takes the plaintext. For tests, and for parameters that carry a part only.
Circuit prince_layers(unsigned first, unsigned last);

}  // namespace cyclotome::circuit
