package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// packOf returns a pack of a few objects, and its objects as ReadPack tells them.
func packOf(t testing.TB) (pack []byte, objects []string) {
	t.Helper()
	var b bytes.Buffer
	p, err := NewPackWriter(&b, `{"task":3}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range objectKinds {
		text, body := object(i)
		if i == 0 {
			body = []byte("end 1 sha256 00\nqats object 4\n") // which looks like the parts of a pack
		}
		body = body[:min(len(body), 40)]
		if err := p.Add(kind, text, body); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, string(kind)+"\n"+text+"\n"+string(body))
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), objects
}

func unpack(pack []byte) (line string, objects []string, err error) {
	line, err = ReadPack(bytes.NewReader(pack), func(kind Kind, text string, body []byte) error {
		objects = append(objects, string(kind)+"\n"+text+"\n"+string(body))
		return nil
	})
	return line, objects, err
}

func TestPackKeepsObjects(t *testing.T) {
	pack, want := packOf(t)
	line, got, err := unpack(pack)
	if err != nil || line != `{"task":3}` || strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Errorf("%q, %v: %q, want %q", line, err, got, want)
	}
	stop := errors.New("enough")
	if _, err := ReadPack(bytes.NewReader(pack), func(Kind, string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of each is lost: %v", err)
	}
	var empty bytes.Buffer
	p, _ := NewPackWriter(&empty, "")
	p.Close()
	if _, got, err := unpack(empty.Bytes()); err != nil || len(got) != 0 {
		t.Errorf("empty: %q, %v", got, err)
	}
	for _, bad := range []string{"two\nlines", strings.Repeat("x", packLine)} {
		if _, err := NewPackWriter(io.Discard, bad); err == nil {
			t.Errorf("the line %.20q was accepted", bad)
		}
	}
}

// TestDamagedPackIsAnError: every truncation, also between two objects, every altered byte, and every object that is
// left out, doubled or put elsewhere.
func TestDamagedPackIsAnError(t *testing.T) {
	pack, _ := packOf(t)
	for i := range pack {
		if _, _, err := unpack(pack[:i]); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
		changed := bytes.Clone(pack)
		changed[i] ^= 1
		if _, _, err := unpack(changed); err == nil {
			t.Errorf("byte %d changed: no error", i)
		}
	}
	parts := bytes.SplitAfter(pack, []byte("\n"))
	head := len(parts[0]) + len(parts[1])
	second := head + bytes.Index(pack[head+20:], []byte(magic+"crc32c")) + 20
	for what, changed := range map[string][]byte{
		"an object left out": append(bytes.Clone(pack[:head]), pack[second:]...),
		"an object twice":    append(append(bytes.Clone(pack[:second]), pack[head:second]...), pack[second:]...),
		"more after the end": append(bytes.Clone(pack), 'x'),
		"two packs":          append(bytes.Clone(pack), pack...),
	} {
		if _, _, err := unpack(changed); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestPackNamesNoFiles: kinds are folders of a store, and others are errors, also with right checksums.
func TestPackNamesNoFiles(t *testing.T) {
	for _, kind := range []Kind{"../../etc", "tasks", "fit/..", "/tmp", "claims", ".", "end"} {
		var b bytes.Buffer
		p, _ := NewPackWriter(&b, "")
		p.Add(kind, "text", nil)
		p.Close()
		if _, got, err := unpack(b.Bytes()); err == nil || len(got) > 0 {
			t.Errorf("kind %q was accepted: %q", kind, got)
		}
	}
	huge := packMagic + "\n" + magic + "crc32c 00000000\nfit text 281474976710656 body 281474976710656\nfew"
	if _, _, err := unpack([]byte(huge)); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("%v", err)
	}
}

// FuzzReadPack: any bytes are read or refused. What is read is written back with the same bytes.
func FuzzReadPack(f *testing.F) {
	pack, _ := packOf(f)
	f.Add(pack)
	f.Add(pack[:len(pack)/2])
	f.Add([]byte(packMagic + "x\nend 0 sha256 00\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var back bytes.Buffer
		var objects []func(*PackWriter)
		line, err := ReadPack(bytes.NewReader(b), func(kind Kind, text string, body []byte) error {
			objects = append(objects, func(p *PackWriter) { p.Add(kind, text, body) })
			return nil
		})
		if err != nil {
			return
		}
		p, err := NewPackWriter(&back, line)
		if err != nil {
			t.Fatal(err)
		}
		for _, add := range objects {
			add(p)
		}
		p.Close()
		if _, again, err := unpack(back.Bytes()); err != nil || len(again) != len(objects) {
			t.Errorf("%d objects, then %d, %v", len(objects), len(again), err)
		}
	})
}

// TestMergeKeepsEqualObjects: others are refused, but of two times the shorter one stays, in either order.
func TestMergeKeepsEqualObjects(t *testing.T) {
	for _, c := range []struct {
		kind    Kind
		a, b    string
		want    string
		refused bool
	}{
		{Fit, "same", "same", "same", false},
		{Fit, "one", "two", "", true},
		{Scores, "one", "two", "", true},
		{Times, `{"seconds":2}`, `{"seconds":1.5,"rows":3}`, `{"seconds":1.5,"rows":3}`, false},
		{Times, `{"seconds":2,"rows":3}`, `{"seconds":2,"rows":4}`, `{"seconds":2,"rows":3}`, false},
		{Times, `{"seconds":2}`, `no time`, "", true},
	} {
		for _, order := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got, err := Merge(c.kind, "text", []byte(order[0]), []byte(order[1]))
			if string(got) != c.want || (err != nil) != c.refused {
				t.Errorf("%s %q: %q, %v", c.kind, order, got, err)
			}
			if c.refused && !strings.Contains(fmt.Sprint(err), fmt.Sprintf("%s object %.12s", c.kind, Key("text"))) {
				t.Errorf("%v does not name the object", err)
			}
		}
	}
}
