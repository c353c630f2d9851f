package synthetic

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/rankcurve/rankcurve/store"
)

// ownerBytes is the length of every owner's name: the kind, the shard as two
// base-36 characters, and the number in ten digits.
const ownerBytes = 14

// The kinds of owners.
const (
	first    = 'p' // there from the start
	newcomer = 'n'
)

type owner struct {
	kind   byte
	shard  int
	number int64 // from 0, of its kind in its shard
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// String is the owner's name.
func (o owner) String() string { return string(o.append(make([]byte, 0, ownerBytes))) }

func (o owner) append(name []byte) []byte {
	name = append(name, o.kind, digits[o.shard/36], digits[o.shard%36], '-', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for i, n := len(name)-1, o.number; i >= len(name)-10; i, n = i-1, n/10 {
		name[i] = '0' + byte(n%10)
	}
	return name
}

// parseOwner reads a name as String writes it.
func parseOwner(name string) (owner, error) {
	fault := fmt.Errorf("owner %q is none of a synthetic board, such as p00-0000000000: %w", name, store.ErrNotFound)
	if len(name) != ownerBytes {
		return owner{}, fault
	}
	shard, err := strconv.ParseUint(name[1:3], 36, 16)
	number, err2 := strconv.ParseUint(name[4:], 10, 63)
	o := owner{kind: name[0], shard: int(shard), number: int64(number)}
	if err != nil || err2 != nil || o.kind != first && o.kind != newcomer || o.String() != name {
		return owner{}, fault
	}
	return o, nil
}

// A permutation gives each place of a shard's column an owner's number, in no order
// that a rank could be told from, and back. It mixes numbers of so many bits, and mixes
// again what comes out beyond count, so that two counts give nearly the same one.
type permutation struct {
	key   uint64
	count int64
	bits  int
}

// permutationOf is of the numbers below count; usual is a larger count, from which
// all counts get the same number of bits.
func permutationOf(key uint64, count, usual int64) permutation {
	return permutation{key: key, count: count, bits: bits.Len64(uint64(max(count, usual, 3)))}
}

const permutationRounds = 3

func (p permutation) number(place int64) int64 {
	x := uint64(place)
	for {
		for round := range uint64(permutationRounds) {
			odd, add := p.round(round)
			x = (x*odd + add) & p.mask()
			x ^= x >> ((p.bits + 1) / 2)
		}
		if x < uint64(p.count) {
			return int64(x)
		}
	}
}

func (p permutation) place(number int64) int64 {
	x := uint64(number)
	for {
		for round := uint64(permutationRounds); round > 0; round-- {
			odd, add := p.round(round - 1)
			x ^= x >> ((p.bits + 1) / 2)
			x = ((x - add) * inverse(odd)) & p.mask()
		}
		if x < uint64(p.count) {
			return int64(x)
		}
	}
}

func (p permutation) mask() uint64 { return 1<<p.bits - 1 }

func (p permutation) round(i uint64) (odd, add uint64) {
	odd = mix(p.key+2*i) | 1
	return odd, mix(p.key + 2*i + 1)
}

// inverse is what undoes a multiplication by an odd number (Newton's method: each
// step doubles the bits that are right).
func inverse(odd uint64) uint64 {
	x := odd // right to 3 bits
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}
