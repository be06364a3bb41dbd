package main

import (
	"strings"
	"testing"
)

func TestEachRequestHasOneAnswer(t *testing.T) {
	requests := strings.Join([]string{
		`{"type":"hello","protocol":1,"dice":"0123456789abcdef","seat":1,"seats":2,"new":{"deep":[{}]}}`,
		`{"type":"act","legal":["caf\u00e9 \ud83d\ude00"],"observation":{"board":[[1,null]]},"clock":{}}`,
		`{"type":"news","legal":7}`,
		`{"type":"end","ranks":[0,1],"reason":"line"}`,
	}, "\n") + "\n"
	var answers strings.Builder

	err := play(strings.NewReader(requests), &answers)

	if wanted := "{\"type\":\"ready\"}\n{\"action\":\"caf\u00e9 \U0001F600\"}\n"; err != nil || answers.String() != wanted {
		t.Errorf("%v, %q", err, answers.String())
	}
}

func TestOneOfTheLegalActionsIsChosen(t *testing.T) {
	turn := begin(Message{Dice: "0123456789abcdef", Seat: 1})
	turn.Act.Legal = []string{"add dog b2", "pass"}
	passes := 0

	for i := 0; i < 100; i++ {
		if choose(turn) == "pass" {
			passes++
		}
	}

	if passes <= 20 || passes >= 80 {
		t.Errorf("passed %d times of 100", passes)
	}
}
