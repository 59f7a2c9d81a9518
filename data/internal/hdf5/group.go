package hdf5

import (
	"bytes"
	"errors"
	"fmt"
)

// message is a part of the header of an object.
type message struct {
	kind   int
	shared bool // it is kept elsewhere in the file
	data   []byte
}

// Kinds of messages that are read.
const (
	dataspaceMessage    = 0x01
	linkInfoMessage     = 0x02
	datatypeMessage     = 0x03
	linkMessage         = 0x06
	layoutMessage       = 0x08
	filterMessage       = 0x0b
	continuationMessage = 0x10
	symbolsMessage      = 0x11
)

// header reads the messages of the object header at an address.
func (w *walk) header(at uint64) ([]message, error) {
	b, err := w.bytes(at, 16)
	if err != nil {
		return nil, err
	}
	if string(b[:4]) == "OHDR" {
		return nil, errors.New("an object header of version 2; write the file without libver and track_order")
	}
	if b[0] != 1 {
		return nil, errors.New("no object header where an object should be")
	}
	left := u16(b[2:])
	type block struct{ at, size uint64 }
	blocks := []block{{at + 16, uint64(u32(b[8:]))}}
	total := uint64(0)
	var messages []message
	for len(blocks) > 0 && left > 0 {
		next := blocks[0]
		blocks = blocks[1:]
		if total += next.size; next.size > maxHeader || total > maxHeader {
			return nil, fmt.Errorf("an object header of more than %d bytes", maxHeader)
		}
		b, err := w.bytes(next.at, next.size)
		if err != nil {
			return nil, err
		}
		for ; len(b) >= 8 && left > 0; left-- {
			n := u16(b[2:])
			if n > len(b)-8 {
				return nil, errors.New("a message beyond the end of its object header")
			}
			m := message{kind: u16(b), shared: b[4]&2 != 0, data: b[8 : 8+n]}
			b = b[8+n:]
			if m.kind == continuationMessage {
				if n < 16 {
					return nil, errors.New("a damaged object header")
				}
				blocks = append(blocks, block{u64(m.data), u64(m.data[8:])})
				continue
			}
			messages = append(messages, m)
		}
	}
	if left > 0 {
		return nil, errors.New("an object header with messages missing")
	}
	return messages, nil
}

// one returns the message of a kind; nil where there is none.
func one(messages []message, kind int) ([]byte, error) {
	var found []byte
	for _, m := range messages {
		switch {
		case m.kind != kind:
		case m.shared:
			return nil, errors.New("a property that is shared with other objects")
		case found != nil:
			return nil, errors.New("a property that is stated twice")
		default:
			found = m.data
		}
	}
	return found, nil
}

// members returns the addresses of the members of the group at an address.
func (w *walk) members(at uint64) (map[string]uint64, error) {
	messages, err := w.header(at)
	if err != nil {
		return nil, err
	}
	symbols, err := one(messages, symbolsMessage)
	if err != nil {
		return nil, err
	}
	if symbols == nil {
		for _, m := range messages {
			switch m.kind {
			case linkInfoMessage, linkMessage:
				return nil, errors.New("a group of the newer kind; write the file without libver and track_order")
			}
		}
		return nil, errors.New("not a group")
	}
	if len(symbols) < 16 {
		return nil, errors.New("a damaged group")
	}
	heap, err := w.heap(u64(symbols[8:]))
	if err != nil {
		return nil, err
	}
	members := map[string]uint64{}
	err = w.tree(u64(symbols), 0, 8, func(_ []byte, child uint64) error {
		return w.symbols(child, heap, members)
	})
	return members, err
}

// heap returns the names of the local heap at an address.
func (w *walk) heap(at uint64) ([]byte, error) {
	b, err := w.bytes(at, 32)
	if err != nil {
		return nil, err
	}
	if string(b[:4]) != "HEAP" || b[4] != 0 {
		return nil, errors.New("a damaged group: it has no heap of names")
	}
	return w.bytes(u64(b[24:]), u64(b[8:]))
}

// symbols adds the entries of the symbol table node at an address.
func (w *walk) symbols(at uint64, heap []byte, members map[string]uint64) error {
	b, err := w.bytes(at, 8)
	if err != nil {
		return err
	}
	if string(b[:4]) != "SNOD" || b[4] != 1 {
		return errors.New("a damaged group: it has no table of symbols")
	}
	const entry = 40
	n := u16(b[6:])
	if b, err = w.bytes(at+8, uint64(n)*entry); err != nil {
		return err
	}
	for ; len(b) > 0; b = b[entry:] {
		name, err := nameAt(heap, u64(b))
		if err != nil {
			return err
		}
		if u32(b[16:]) == 2 {
			return fmt.Errorf("%q is a soft link", name)
		}
		if _, ok := members[name]; ok {
			return fmt.Errorf("two members are named %q", name)
		}
		if len(members) == maxMembers {
			return fmt.Errorf("a group of more than %d members", maxMembers)
		}
		members[name] = u64(b[8:])
	}
	return nil
}

// nameAt returns the name at an offset of a heap.
func nameAt(heap []byte, at uint64) (string, error) {
	if at >= uint64(len(heap)) {
		return "", errors.New("a damaged group: a name beyond its heap")
	}
	n := bytes.IndexByte(heap[at:], 0)
	if n <= 0 || n > maxName {
		return "", errors.New("a damaged group: a name without an end")
	}
	name := string(heap[at : at+uint64(n)])
	if bytes.ContainsAny(heap[at:at+uint64(n)], "/\n") || name == "." || name == ".." {
		return "", fmt.Errorf("a damaged group: the name %q", name)
	}
	return name, nil
}

// tree calls leaf for each child of the lowest nodes of the B-tree at an address,
// with the key before the child. The keys have so many bytes.
func (w *walk) tree(at uint64, kind byte, keySize uint64, leaf func(key []byte, child uint64) error) error {
	return w.node(at, kind, keySize, -1, leaf)
}

// node visits one node, which must have the level that its parent gives, or any
// level for the root (level -1).
func (w *walk) node(at uint64, kind byte, keySize uint64, level int, leaf func(key []byte, child uint64) error) error {
	if w.nodes++; w.nodes > maxNodes {
		return fmt.Errorf("more than %d nodes of B-trees", maxNodes)
	}
	const head = 24
	b, err := w.bytes(at, head)
	if err != nil {
		return err
	}
	const maxLevel = 16
	if string(b[:4]) != "TREE" || b[4] != kind || level >= 0 && int(b[5]) != level || b[5] > maxLevel {
		return errors.New("a damaged B-tree")
	}
	level = int(b[5])
	n := uint64(u16(b[6:]))
	step := keySize + 8
	if b, err = w.bytes(at+head, n*step+keySize); err != nil {
		return err
	}
	for i := range n {
		key, child := b[i*step:i*step+keySize], u64(b[i*step+keySize:])
		if level == 0 {
			err = leaf(key, child)
		} else {
			err = w.node(child, kind, keySize, level-1, leaf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
