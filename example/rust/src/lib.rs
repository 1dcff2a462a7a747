// SPDX-License-Identifier: Apache-2.0
//! Encrypted integers in Rust: a safe layer over cyclotome's C interface, to be taken further.

mod ffi;

use ffi::Opaque;
use std::ffi::CStr;
use std::fmt;
use std::mem::size_of;
use std::ops::{Add, Mul};
use std::ptr::{null, null_mut, NonNull};

/// Of the C interface that this was written for.
const C_VERSION: u32 = 1;

/// What the library refused: the class of the error, and its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub name: String,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name, self.message)
    }
}
impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

fn checked(status: i32) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: both are texts of the library's, which live until the next failure on this thread.
    let text = |at| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned();
    let (name, message) = unsafe { (ffi::cyclotome_status_name(status), ffi::cyclotome_last_error()) };
    Err(Error { status, name: text(name), message: text(message) })
}

/// An object of the library's, freed once, by the function of its type.
struct Handle {
    at: NonNull<Opaque>,
    free: unsafe extern "C" fn(*mut Opaque),
}

// SAFETY: objects of the library don't change, and any thread may use and free them (cyclotome.h, "Threads").
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Handle {
    fn made(free: unsafe extern "C" fn(*mut Opaque), make: impl FnOnce(*mut *mut Opaque) -> i32) -> Result<Self> {
        let mut at = null_mut();
        checked(make(&mut at))?;
        Ok(Handle::of(at, free))
    }
    fn of(at: *mut Opaque, free: unsafe extern "C" fn(*mut Opaque)) -> Self {
        Handle { at: NonNull::new(at).expect("a call that succeeded made something"), free }
    }
    fn get(&self) -> *const Opaque {
        self.at.as_ptr()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by the library, and freed here alone.
        unsafe { (self.free)(self.at.as_ptr()) }
    }
}

/// Parameters on this machine's cores.
pub struct Context(Handle);
/// Decrypts; wiped when it is dropped.
pub struct SecretKey(Handle);
/// Encrypts.
pub struct PublicKey(Handle);
/// Multiplies and sums.
pub struct EvaluationKeys(Handle);
/// Encrypted integers.
pub struct Array(Handle);

impl Context {
    /// The cheapest for products of `depth` values in a row, of up to `value_bits` bits each.
    pub fn suggest(depth: u32, value_bits: u32) -> Result<Self> {
        // SAFETY, here and below: every pointer leads to what the header asks for, for as long as the call takes.
        assert_eq!(unsafe { ffi::cyclotome_c_version() }, C_VERSION, "another version of the C interface is linked");
        let intent =
            ffi::Intent { size: size_of::<ffi::Intent>(), depth, value_bits, terms: 16, ..Default::default() };
        let parameters = Handle::made(ffi::cyclotome_parameters_free, |out| unsafe {
            ffi::cyclotome_suggest(&intent, out)
        })?;
        Handle::made(ffi::cyclotome_context_free, |out| unsafe {
            ffi::cyclotome_context_new(parameters.get(), 1, out)
        })
        .map(Context)
    }

    /// Keys that belong together.
    pub fn keygen(&self) -> Result<(SecretKey, PublicKey, EvaluationKeys)> {
        let (mut secret, mut public, mut evaluation) = (null_mut(), null_mut(), null_mut());
        checked(unsafe { ffi::cyclotome_keygen(self.0.get(), null(), &mut secret, &mut public, &mut evaluation) })?;
        Ok((
            SecretKey(Handle::of(secret, ffi::cyclotome_secret_key_free)),
            PublicKey(Handle::of(public, ffi::cyclotome_public_key_free)),
            EvaluationKeys(Handle::of(evaluation, ffi::cyclotome_evaluation_keys_free)),
        ))
    }

    /// An array from the bytes of a stored one, which are checked.
    pub fn read(&self, bytes: &[u8]) -> Result<Array> {
        let object = Handle::made(ffi::cyclotome_object_free, |out| unsafe {
            ffi::cyclotome_object_from_bytes(bytes.as_ptr(), bytes.len(), null(), out)
        })?;
        Array::made(|out| unsafe { ffi::cyclotome_object_array(object.get(), self.0.get(), out) })
    }
}

impl PublicKey {
    /// Encrypts values of at most `bound` in magnitude, which is public.
    pub fn encrypt(&self, values: &[i64], bound: u64) -> Result<Array> {
        let integers = ffi::Integers {
            words: values.as_ptr().cast(),
            words_each: 1,
            count: values.len(),
            shape: null(),
            axes: 0,
        };
        let how = ffi::Encryption { size: size_of::<ffi::Encryption>(), bound, ..Default::default() };
        Array::made(|out| unsafe { ffi::cyclotome_encrypt(self.0.get(), &integers, &how, out) })
    }
}

impl SecretKey {
    /// The values, exact, or a refusal: both for the key's owner alone.
    pub fn decrypt(&self, array: &Array) -> Result<Vec<i64>> {
        let mut values = vec![0i64; unsafe { ffi::cyclotome_array_size(array.0.get()) }];
        let (words, count) = (values.as_mut_ptr().cast(), values.len());
        checked(unsafe { ffi::cyclotome_decrypt(self.0.get(), array.0.get(), words, 1, count) })?;
        Ok(values)
    }
}

impl Array {
    fn made(make: impl FnOnce(*mut *mut Opaque) -> i32) -> Result<Self> {
        Handle::made(ffi::cyclotome_array_free, make).map(Array)
    }

    /// The same array that knows keys for products.
    pub fn with_keys(&self, keys: &EvaluationKeys) -> Result<Array> {
        Array::made(|out| unsafe { ffi::cyclotome_array_with_keys(self.0.get(), keys.0.get(), out) })
    }

    /// As every other language reads it.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let bytes = Handle::made(ffi::cyclotome_bytes_free, |out| unsafe {
            ffi::cyclotome_array_to_bytes(self.0.get(), null(), 0, out)
        })?;
        // SAFETY: the library says where its bytes are and how many; they live as long as `bytes`.
        let (data, size) = unsafe { (ffi::cyclotome_bytes_data(bytes.get()), ffi::cyclotome_bytes_size(bytes.get())) };
        Ok(unsafe { std::slice::from_raw_parts(data, size) }.to_vec())
    }
}

impl Add for &Array {
    type Output = Result<Array>;
    fn add(self, other: &Array) -> Result<Array> {
        Array::made(|out| unsafe { ffi::cyclotome_add(self.0.get(), other.0.get(), out) })
    }
}
impl Mul for &Array {
    type Output = Result<Array>;
    fn mul(self, other: &Array) -> Result<Array> {
        Array::made(|out| unsafe { ffi::cyclotome_multiply(self.0.get(), other.0.get(), out) })
    }
}
