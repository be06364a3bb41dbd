// A bot for $title: it plays the best rated action. Change rate.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/rand"
	"os"
	"strconv"
)

// Message is a line that the bot reads; its fields are those of the protocol.
type Message struct {
	Type        string
	Game        string
	Match       string
	Dice        string
	Seat, Seats int
	Options     map[string]any
	Limits      map[string]float64
	Ply         int
	Events      [][2]any
	Observation map[string]any
	Legal       []string
	Clock       map[string]float64
	Ranks       []int
	Reason      string
}

// Turn is all that the bot knows when it must act.
type Turn struct {
	Hello  Message
	Act    Message
	Random *rand.Rand
}

// rate rates an action: the bot plays one of those that you rate highest.
func rate(turn *Turn, action string) float64 {
	return 0
}

// choose returns one of the best rated actions at random.
func choose(turn *Turn) string {
	var best []string
	var most float64
	for _, action := range turn.Act.Legal {
		rating := rate(turn, action)
		if len(best) == 0 || rating > most {
			best, most = nil, rating
		}
		if rating == most {
			best = append(best, action)
		}
	}
	return best[turn.Random.Intn(len(best))]
}

// source is SplitMix64: unlike rand.NewSource, it uses all 64 bits of its seed.
type source uint64

func (s *source) Uint64() uint64 {
	*s += 0x9E3779B97F4A7C15
	mixed := uint64(*s)
	mixed = (mixed ^ mixed>>30) * 0xBF58476D1CE4E5B9
	mixed = (mixed ^ mixed>>27) * 0x94D049BB133111EB
	return mixed ^ mixed>>31
}

func (s *source) Int63() int64    { return int64(s.Uint64() >> 1) }
func (s *source) Seed(seed int64) { *s = source(seed) }

// begin seeds by the dice: no opponent knows them, and the same match draws the same numbers.
func begin(hello Message) *Turn {
	dice, _ := strconv.ParseUint(hello.Dice, 16, 64)
	random := source(dice)
	return &Turn{Hello: hello, Random: rand.New(&random)}
}

// play plays one match: it answers every request, and ends with the match or its input.
func play(requests io.Reader, answers io.Writer) error {
	turn := begin(Message{})
	lines := bufio.NewReader(requests)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var message Message
		if err == nil {
			err = json.Unmarshal(line, &message)
		}
		// Only a message that we do not know may have one of our fields with another type.
		var otherType *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &otherType) {
			return err
		}
		var answer any
		switch message.Type {
		case "hello":
			turn = begin(message)
			log.Printf("seat %d of %d", message.Seat, message.Seats)
			answer = map[string]string{"type": "ready"}
		case "act":
			turn.Act = message
			answer = map[string]string{"action": choose(turn)}
		case "end":
			return nil
		default:
			continue
		}
		if err := json.NewEncoder(answers).Encode(answer); err != nil {
			return err
		}
	}
}

func main() {
	log.SetFlags(0)
	// Keep standard output for answers: whatever else is printed goes to the log.
	answers := os.Stdout
	os.Stdout = os.Stderr
	if err := play(os.Stdin, answers); err != nil {
		log.Fatal(err)
	}
}
