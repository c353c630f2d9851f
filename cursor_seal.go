package rankcurve

import (
	"bytes"
	"compress/flate"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A sealed cursor is URL-safe base64, without padding, of
//
//	version      1 byte
//	signature    16 bytes: HMAC-SHA-256 of the version and the body, cut
//	body
//
// and the body is
//
//	scope        8 bytes
//	column, size, issued (s since 1970), read, rank    unsigned varints
//	key          signed varint
//	packing      1 byte: 0 plain, 1 DEFLATE
//	ends         per shard, in their order: the shard, an unsigned varint of the
//	             difference to the one before; the owner, its length before it
const (
	cursorVersion  = 1
	signatureBytes = 16
	packedPlain    = 0
	packedDeflate  = 1
)

// maxCursor is far above any cursor: 1,296 shards with owners of 255 bytes.
const maxCursor = 1 << 19

var cursorText = base64.RawURLEncoding.Strict()

// seal writes a cursor and signs it.
func (c cursor) seal(key []byte) string {
	body := c.body()
	sealed := append([]byte{cursorVersion}, signature(key, body)...)
	return cursorText.EncodeToString(append(sealed, body...))
}

func signature(key, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte{cursorVersion})
	mac.Write(body)
	return mac.Sum(nil)[:signatureBytes]
}

func (c cursor) body() []byte {
	body := bytes.Clone(c.scope[:])
	for _, n := range []uint64{uint64(c.column), uint64(c.size), uint64(c.issued.Unix()), uint64(c.standing.read), uint64(c.standing.rank)} {
		body = binary.AppendUvarint(body, n)
	}
	body = binary.AppendVarint(body, c.standing.key)
	var ends []byte
	shard := 0
	for _, end := range c.ends {
		ends = binary.AppendUvarint(ends, uint64(end.shard-shard))
		ends = binary.AppendUvarint(ends, uint64(len(end.owner)))
		ends = append(ends, end.owner...)
		shard = end.shard
	}
	if packed := deflate(ends); len(packed) < len(ends) {
		return append(append(body, packedDeflate), packed...)
	}
	return append(append(body, packedPlain), ends...)
}

func deflate(plain []byte) []byte {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return plain // cannot be: the level is one
	}
	_, err = w.Write(plain)
	if errors.Join(err, w.Close()) != nil {
		return plain // nor this: a buffer takes all
	}
	return packed.Bytes()
}

// unseal reads a cursor that was signed with this key.
func unseal(key []byte, text string) (cursor, error) {
	if len(text) > maxCursor {
		return cursor{}, badCursor("it has %d letters, more than any cursor", len(text))
	}
	sealed, err := cursorText.DecodeString(text)
	if err != nil || cursorText.EncodeToString(sealed) != text || len(sealed) == 0 { // the decoder passes line ends by
		return cursor{}, badCursor("it is not one, or not a whole one")
	}
	if sealed[0] != cursorVersion {
		return cursor{}, badCursor("it is of version %d, and this program knows version %d", sealed[0], cursorVersion)
	}
	if len(sealed) < 1+signatureBytes {
		return cursor{}, badCursor("it is not a whole one")
	}
	signed, body := sealed[1:1+signatureBytes], sealed[1+signatureBytes:]
	if !hmac.Equal(signed, signature(key, body)) {
		return cursor{}, badCursor("its signature does not fit: it was changed or cut, or was signed with another key or in another store")
	}
	c, err := parseCursor(body)
	if err != nil {
		return cursor{}, badCursor("its content does not fit its signature: %v", err)
	}
	return c, nil
}

// parseCursor reads a body.
func parseCursor(body []byte) (c cursor, err error) {
	r := bytes.NewReader(body)
	if _, err := io.ReadFull(r, c.scope[:]); err != nil {
		return c, err
	}
	var column, size, issued, read, rank uint64
	for _, n := range []*uint64{&column, &size, &issued, &read, &rank} {
		if *n, err = binary.ReadUvarint(r); err != nil {
			return c, err
		}
	}
	if c.standing.key, err = binary.ReadVarint(r); err != nil {
		return c, err
	}
	if column >= store.MaxColumns || size < 1 || size > MaxPage || int64(read) < 1 || rank < 1 || rank > read || c.standing.key > store.MaxScore || c.standing.key < -store.MaxScore {
		return c, errors.New("a number is out of range")
	}
	c.column, c.size, c.issued = int(column), int(size), time.Unix(int64(issued), 0)
	c.standing.read, c.standing.rank = int64(read), int64(rank)
	c.ends, err = parseEnds(r)
	return c, err
}

func parseEnds(r *bytes.Reader) (ends []shardEnd, err error) {
	packing, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	plain := io.Reader(r)
	if packing == packedDeflate {
		plain = flate.NewReader(r)
	}
	data, err := io.ReadAll(io.LimitReader(plain, maxCursor))
	if err != nil {
		return nil, err
	}
	shard := uint64(0)
	for rest := bytes.NewReader(data); rest.Len() > 0; {
		step, err := binary.ReadUvarint(rest)
		if err != nil {
			return nil, err
		}
		length, err := binary.ReadUvarint(rest)
		if err != nil {
			return nil, err
		}
		if shard += step; shard >= store.MaxShards || length < 1 || length > store.MaxOwner {
			return nil, errors.New("a shard's end is out of range")
		}
		owner := make([]byte, length)
		if _, err := io.ReadFull(rest, owner); err != nil {
			return nil, err
		}
		ends = append(ends, shardEnd{int(shard), string(owner)})
	}
	return ends, nil
}
