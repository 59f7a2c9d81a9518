// Hostile is an external calibrator that misbehaves as its first argument says.
// What is not said goes well: fit leaves a file, apply copies uniform
// probabilities of the right shape. With serve, it does so for each request.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	if how := os.Args[1]; os.Args[2] == "serve" {
		serve(how)
	} else {
		call(how, os.Args[2], os.Args[3])
	}
}

// serve answers requests, which it gives the seed in the environment, as a call has it.
func serve(how string) {
	switch how {
	case "serve-silence":
		time.Sleep(10 * time.Minute)
	case "serve-leaves":
		fmt.Fprintln(os.Stderr, "not today")
		os.Exit(4)
	case "serve-closes":
		os.Stdout.Close()
		time.Sleep(10 * time.Minute)
	case "serve-deaf":
		os.Stdin.Close()
		fmt.Println(`{"methods": [{"name": "hostile"}]}`)
		time.Sleep(10 * time.Minute)
	case "serve-prints":
		fmt.Println("loading")
	case "serve-long":
		for {
			os.Stdout.Write(make([]byte, 1<<20))
		}
	case "serve-two":
		fmt.Println(`{"methods": [{"name": "one"}, {"name": "other"}]}`)
	case "serve-none":
		fmt.Println(`{"methods": []}`)
	}
	fmt.Println(`{"methods": [{"name": "hostile"}]}`)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r struct {
			ID        int
			Call, Dir string
			Seed      uint64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		switch how {
		case "serve-raises":
			fmt.Printf(`{"id": %d, "error": "ValueError: no rows\nin %s", "line": "mine.py:12"}`+"\n", r.ID, r.Dir)
			continue
		case "serve-garbles":
			fmt.Println("done")
			continue
		case "serve-other":
			for {
				fmt.Printf(`{"id": %d}`+"\n", r.ID+1)
			}
		case "serve-once":
			call(how, r.Call, r.Dir)
			fmt.Printf(`{"id": %d}`+"\n", r.ID)
			os.Exit(0)
		case "serve-pid":
			os.WriteFile(filepath.Join(r.Dir, "model", "pid"), fmt.Append(nil, os.Getpid()), 0o666)
		}
		os.Setenv("QATS_SEED", fmt.Sprint(r.Seed))
		call(how, r.Call, r.Dir)
		fmt.Printf(`{"id": %d}`+"\n", r.ID)
	}
}

func call(how, verb, dir string) {
	if how == verb+"-silence" { // ends well and writes nothing
		return
	}
	if verb == "fit" {
		fit(how, dir)
		return
	}
	n, k := shape(filepath.Join(dir, "test", "logits.npy"))
	apply(how, dir, n, k)
}

func fit(how, dir string) {
	model := filepath.Join(dir, "model")
	switch how {
	case "fit-hang":
		hang(dir)
	case "fit-exit":
		fmt.Fprintf(os.Stderr, "first line\nno convergence in %s/cal\n", dir)
		os.Exit(3)
	case "fit-flood":
		flood(filepath.Join(model, "big"))
	case "fit-link":
		os.Symlink("/etc/passwd", filepath.Join(model, "link"))
	case "fit-removes":
		os.RemoveAll(model)
	case "environment":
		os.WriteFile(filepath.Join(model, "environment"), []byte(strings.Join(os.Environ(), "\x00")), 0o666)
	case "fit-child": // that lives on
		exec.Command("sleep", "600").Start()
	case "fit-sparse":
		f, _ := os.Create(filepath.Join(model, "sparse"))
		f.Truncate(10 << 30)
		f.Close()
	}
	os.WriteFile(filepath.Join(model, "seed"), []byte(os.Getenv("QATS_SEED")), 0o666)
}

func apply(how, dir string, n, k int) {
	out := filepath.Join(dir, "probs.npy")
	even := 1 / float64(k)
	switch how {
	case "hang":
		hang(dir)
	case "exit":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "killed":
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		time.Sleep(time.Minute)
	case "flood":
		flood(out)
	case "stderr-flood":
		for {
			os.Stderr.Write(make([]byte, 1<<20))
		}
	case "garbage":
		os.WriteFile(out, []byte("0.5, 0.5\n"), 0o666)
	case "too-long":
		write(out, n, k, even)
		f, _ := os.OpenFile(out, os.O_APPEND|os.O_WRONLY, 0)
		f.Write(make([]byte, 1<<20))
		f.Close()
	case "huge-shape":
		os.WriteFile(out, header(1<<40, k), 0o666)
	case "rows":
		write(out, n-1, k, even)
	case "classes":
		write(out, n, k+1, 1/float64(k+1))
	case "nan":
		write(out, n, k, math.NaN())
	case "sum":
		write(out, n, k, even*1.001)
	case "negative":
		write(out, n, k, -even)
	case "both":
		write(out, n, k, even)
		write(filepath.Join(dir, "logits.npy"), n, k, 0)
	case "fifo":
		exec.Command("mkfifo", out).Run()
	case "folder":
		os.Mkdir(out, 0o777)
	case "logits":
		write(filepath.Join(dir, "logits.npy"), n, k, 0)
	default:
		write(out, n, k, even)
	}
}

// hang starts a child that hangs too, and says where it can be found.
func hang(dir string) {
	child := exec.Command("sleep", "600")
	child.Start()
	fmt.Fprintf(os.Stderr, "child %d\n", child.Process.Pid)
	time.Sleep(10 * time.Minute)
}

// flood writes without end.
func flood(path string) {
	f, _ := os.Create(path)
	for {
		if _, err := f.Write(make([]byte, 4<<20)); err != nil {
			os.Exit(5)
		}
	}
}

func write(path string, n, k int, value float64) {
	b := header(n, k)
	for range n * k {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(value))
	}
	os.WriteFile(path, b, 0o666)
}

func header(n, k int) []byte {
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, k)
	for (10+len(text)+1)%64 != 0 {
		text += " "
	}
	text += "\n"
	return append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), byte(len(text) >> 8)}, text...)
}

var shapeText = regexp.MustCompile(`'shape': \((\d+), (\d+)\)`)

func shape(path string) (n, k int) {
	b, _ := os.ReadFile(path)
	m := shapeText.FindSubmatch(b)
	n, _ = strconv.Atoi(string(m[1]))
	k, _ = strconv.Atoi(string(m[2]))
	return n, k
}
