// SPDX-License-Identifier: Apache-2.0

// Lattigo, built from its sources, as a contestant of `cyclotome bench`: it says what peer.hpp says.
package main

import (
	"bufio"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
	"golang.org/x/sys/unix"
)

type peer struct {
	params          bgv.Parameters
	generator       *rlwe.KeyGenerator
	secret          *rlwe.SecretKey
	public          *rlwe.PublicKey
	encoder         *bgv.Encoder
	encryptor       *rlwe.Encryptor
	decryptor       *rlwe.Decryptor
	evaluator       *bgv.Evaluator
	x, y            []uint64
	plain, other    *rlwe.Plaintext
	encoded         *rlwe.Plaintext
	left, right     *rlwe.Ciphertext
	product         *rlwe.Ciphertext
	decoded         []uint64
	decrypted       *rlwe.Plaintext
	relinearization *rlwe.RelinearizationKey
	freshSecret     *rlwe.SecretKey
	freshPublic     *rlwe.PublicKey
	out             map[string]*rlwe.Ciphertext
	operations      map[string]func() error
	scaleInvariant  bool
}

func numbers(in *bufio.Reader) []uint64 {
	var count int
	must(fmt.Fscan(in, &count))
	out := make([]uint64, count)
	for i := range out {
		must(fmt.Fscan(in, &out[i]))
	}
	return out
}

// must ends the program with what cyclotome shows its user.
func must(_ any, err error) {
	if err != nil {
		fmt.Println("refused", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
}

func newPeer(scheme string, degree int, modulus uint64, moduli, x, y []uint64) (p *peer, err error) {
	p = &peer{x: x, y: y, scaleInvariant: scheme == "bfv", out: map[string]*rlwe.Ciphertext{}}
	last := len(moduli) - 1
	literal := bgv.ParametersLiteral{
		LogN: bits.Len(uint(degree)) - 1, Q: moduli[:last], P: moduli[last:], PlaintextModulus: modulus}
	if p.params, err = bgv.NewParametersFromLiteral(literal); err != nil {
		return nil, err
	}
	p.generator = bgv.NewKeyGenerator(p.params)
	p.secret, p.public = p.generator.GenKeyPairNew()
	p.relinearization = p.generator.GenRelinearizationKeyNew(p.secret)
	rotation := p.generator.GenGaloisKeyNew(p.params.GaloisElementForColRotation(1), p.secret)
	p.encoder = bgv.NewEncoder(p.params)
	p.encryptor = bgv.NewEncryptor(p.params, p.public)
	p.decryptor = bgv.NewDecryptor(p.params, p.secret)
	keys := rlwe.NewMemEvaluationKeySet(p.relinearization, rotation)
	p.evaluator = bgv.NewEvaluator(p.params, keys, p.scaleInvariant)
	level := p.params.MaxLevel()
	p.plain, p.other = bgv.NewPlaintext(p.params, level), bgv.NewPlaintext(p.params, level)
	p.encoded, p.decoded = bgv.NewPlaintext(p.params, level), make([]uint64, degree)
	if err = p.encoder.Encode(x, p.plain); err != nil {
		return nil, err
	}
	if err = p.encoder.Encode(y, p.other); err != nil {
		return nil, err
	}
	if p.left, err = p.encryptor.EncryptNew(p.plain); err != nil {
		return nil, err
	}
	if p.right, err = p.encryptor.EncryptNew(p.other); err != nil {
		return nil, err
	}
	if p.product, err = p.evaluator.MulNew(p.left, p.right); err != nil {
		return nil, err
	}
	p.decrypted = bgv.NewPlaintext(p.params, level)
	into := func(name string, parts int, run func(out *rlwe.Ciphertext) error) {
		p.out[name] = bgv.NewCiphertext(p.params, parts-1, level)
		p.operations[name] = func() error { return run(p.out[name]) }
	}
	p.operations = map[string]func() error{
		"encode":         func() error { return p.encoder.Encode(p.x, p.encoded) },
		"decode":         func() error { return p.encoder.Decode(p.plain, p.decoded) },
		"decrypt":        func() error { p.decryptor.Decrypt(p.left, p.decrypted); return nil },
		"key_generation": func() error { p.freshSecret, p.freshPublic = p.generator.GenKeyPairNew(); return nil },
		"relinearization_key": func() error {
			p.relinearization = p.generator.GenRelinearizationKeyNew(p.secret)
			return nil
		},
	}
	into("encrypt", 2, func(out *rlwe.Ciphertext) error { return p.encryptor.Encrypt(p.plain, out) })
	into("add", 2, func(out *rlwe.Ciphertext) error { return p.evaluator.Add(p.left, p.right, out) })
	into("multiply", 3, func(out *rlwe.Ciphertext) error { return p.evaluator.Mul(p.left, p.right, out) })
	into("relinearize", 2, func(out *rlwe.Ciphertext) error { return p.evaluator.Relinearize(p.product, out) })
	into("multiply_relinearize", 2, func(out *rlwe.Ciphertext) error { return p.evaluator.MulRelin(p.left, p.right, out) })
	into("rotate", 2, func(out *rlwe.Ciphertext) error { return p.evaluator.RotateColumns(p.left, 1, out) })
	into("multiply_plain", 2, func(out *rlwe.Ciphertext) error { return p.evaluator.Mul(p.left, p.other, out) })
	// What its plain products always are.
	p.out["multiply_plain_transformed"] = p.out["multiply_plain"]
	p.operations["multiply_plain_transformed"] = p.operations["multiply_plain"]
	return p, nil
}

// values tells what the last run of an operation means.
func (p *peer) values(operation string) (values []uint64, err error) {
	values = make([]uint64, len(p.x))
	plain := bgv.NewPlaintext(p.params, p.params.MaxLevel())
	switch operation {
	case "decode":
		return p.decoded, nil
	case "encode":
		plain = p.encoded
	case "decrypt":
		plain = p.decrypted
	case "key_generation":
		encrypted, err := bgv.NewEncryptor(p.params, p.freshPublic).EncryptNew(p.plain)
		if err != nil {
			return nil, err
		}
		bgv.NewDecryptor(p.params, p.freshSecret).Decrypt(encrypted, plain)
	case "relinearization_key":
		fresh := p.evaluator.WithKey(rlwe.NewMemEvaluationKeySet(p.relinearization))
		result, err := fresh.RelinearizeNew(p.product)
		if err != nil {
			return nil, err
		}
		p.decryptor.Decrypt(result, plain)
	default:
		result, found := p.out[operation]
		if !found {
			return nil, fmt.Errorf("cannot tell the values of %s", operation)
		}
		p.decryptor.Decrypt(result, plain)
	}
	return values, p.encoder.Decode(plain, values)
}

func (p *peer) run(operation string, loops int) (wall, thread int64, err error) {
	run, found := p.operations[operation]
	if !found {
		return 0, 0, fmt.Errorf("cannot run %s", operation)
	}
	spent := func() int64 {
		var now unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now) // its collector runs on other threads
		return now.Nano()
	}
	start, before := time.Now(), spent()
	for range loops {
		if err := run(); err != nil {
			return 0, 0, err
		}
	}
	return time.Since(start).Nanoseconds(), spent() - before, nil
}

func version() string {
	if build, found := debug.ReadBuildInfo(); found {
		for _, module := range build.Deps {
			if strings.HasSuffix(module.Path, "lattigo/v6") {
				return "Lattigo " + module.Version
			}
		}
	}
	return "Lattigo"
}

func main() {
	runtime.GOMAXPROCS(1)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	var scheme string
	var degree int
	var modulus uint64
	must(fmt.Fscan(in, &scheme, &degree, &modulus))
	moduli := numbers(in)
	x, y := numbers(in), numbers(in)
	p, err := newPeer(scheme, degree, modulus, moduli, x, y)
	must(nil, err)
	fmt.Println("ready", version())
	fmt.Print("operations")
	for name := range p.operations {
		fmt.Print(" ", name)
	}
	fmt.Println("\nmodulus")
	for {
		var verb, operation string
		if _, err := fmt.Fscan(in, &verb, &operation); err != nil {
			return
		}
		switch verb {
		case "run":
			var loops int
			must(fmt.Fscan(in, &loops))
			if wall, thread, err := p.run(operation, loops); err != nil {
				fmt.Println("refused", err)
			} else {
				fmt.Println("time", wall, thread)
			}
		case "values":
			if values, err := p.values(operation); err != nil {
				fmt.Println("refused", err)
			} else {
				fmt.Println("values", strings.Trim(fmt.Sprint(values), "[]"))
			}
		default: // it does not tell noise budgets
			fmt.Println("noise unknown")
		}
	}
}
