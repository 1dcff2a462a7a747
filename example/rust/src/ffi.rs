// SPDX-License-Identifier: Apache-2.0
//! What this example takes of src/cyclotome/cyclotome.h, written down by hand.

use std::ffi::{c_char, c_void};
use std::marker::{PhantomData, PhantomPinned};

/// An object of the library's, known by its address alone.
#[repr(C)]
pub struct Opaque {
    _bytes: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
#[derive(Default)]
pub struct Intent {
    pub size: usize,
    pub depth: u32,
    pub value_bits: u32,
    pub result_bits: u32,
    pub plain_products: u32,
    pub terms: u64,
    pub min_slots: u64,
    pub security: u32,
    pub word_bits: u32,
}

#[repr(C)]
pub struct Integers {
    pub words: *const u64,
    pub words_each: usize,
    pub count: usize,
    pub shape: *const usize,
    pub axes: usize,
}

#[repr(C)]
#[derive(Default)]
pub struct Encryption {
    pub size: usize,
    pub bound: u64,
    pub bound_bits: u32,
    pub from_zero: i32,
    pub wrap: i32,
    pub placement: i32,
    pub row_bound: u64,
}

extern "C" {
    pub fn cyclotome_c_version() -> u32;
    pub fn cyclotome_status_name(status: i32) -> *const c_char;
    pub fn cyclotome_last_error() -> *const c_char;

    pub fn cyclotome_bytes_data(bytes: *const Opaque) -> *const u8;
    pub fn cyclotome_bytes_size(bytes: *const Opaque) -> usize;
    pub fn cyclotome_bytes_free(bytes: *mut Opaque);

    pub fn cyclotome_suggest(intent: *const Intent, parameters: *mut *mut Opaque) -> i32;
    pub fn cyclotome_parameters_free(parameters: *mut Opaque);
    pub fn cyclotome_context_new(parameters: *const Opaque, threads: usize, context: *mut *mut Opaque) -> i32;
    pub fn cyclotome_context_free(context: *mut Opaque);

    pub fn cyclotome_keygen(
        context: *const Opaque,
        options: *const c_void,
        secret: *mut *mut Opaque,
        public_key: *mut *mut Opaque,
        evaluation: *mut *mut Opaque,
    ) -> i32;
    pub fn cyclotome_secret_key_free(key: *mut Opaque);
    pub fn cyclotome_public_key_free(key: *mut Opaque);
    pub fn cyclotome_evaluation_keys_free(keys: *mut Opaque);

    pub fn cyclotome_encrypt(
        key: *const Opaque,
        values: *const Integers,
        how: *const Encryption,
        array: *mut *mut Opaque,
    ) -> i32;
    pub fn cyclotome_decrypt(
        key: *const Opaque,
        array: *const Opaque,
        words: *mut u64,
        words_each: usize,
        count: usize,
    ) -> i32;
    pub fn cyclotome_array_size(array: *const Opaque) -> usize;
    pub fn cyclotome_array_with_keys(array: *const Opaque, keys: *const Opaque, result: *mut *mut Opaque) -> i32;
    pub fn cyclotome_array_free(array: *mut Opaque);
    pub fn cyclotome_add(x: *const Opaque, y: *const Opaque, result: *mut *mut Opaque) -> i32;
    pub fn cyclotome_multiply(x: *const Opaque, y: *const Opaque, result: *mut *mut Opaque) -> i32;

    pub fn cyclotome_array_to_bytes(
        array: *const Opaque,
        metadata: *const u8,
        metadata_size: usize,
        bytes: *mut *mut Opaque,
    ) -> i32;
    pub fn cyclotome_object_from_bytes(
        data: *const u8,
        size: usize,
        limits: *const c_void,
        object: *mut *mut Opaque,
    ) -> i32;
    pub fn cyclotome_object_array(object: *const Opaque, context: *const Opaque, array: *mut *mut Opaque) -> i32;
    pub fn cyclotome_object_free(object: *mut Opaque);
}
