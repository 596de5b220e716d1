package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"

	helm "helm.sh/helm/v4/pkg/cmd"
)

const maxArgumentsBytes = 1 << 24

func init() {
	programs["helm"] = func(arguments []string) error { return runHelm(arguments, os.Stdout, os.Stderr) }
	programs["helm-lines"] = func([]string) error { return serveHelm(os.Stdin, os.Stdout) }
}

// helmResult is what one line of arguments leads to. Error is empty after success.
type helmResult struct {
	Output string `json:"output"`
	Error  string `json:"error"`
}

// runHelm runs one command. Its messages go to errors.
func runHelm(arguments []string, output, errors io.Writer) error {
	// Cobra prints the name of the program from here.
	os.Args = append([]string{"helm"}, arguments...)
	command, err := helm.NewRootCmd(output, arguments, helm.SetupLogging)
	if err != nil {
		return err
	}
	command.SetArgs(arguments)
	command.SetErr(errors)
	return command.Execute()
}

// serveHelm runs a command for each line of input, a JSON array of arguments, and prints a helmResult for it: most of
// the time of a process that renders a chart is its start. Commands that connect to a cluster may keep its settings.
func serveHelm(input io.Reader, output io.Writer) error {
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, maxArgumentsBytes)
	results := json.NewEncoder(output)
	for lines.Scan() {
		var arguments []string
		if err := json.Unmarshal(lines.Bytes(), &arguments); err != nil {
			return err
		}
		var text bytes.Buffer
		result := helmResult{}
		if err := runHelm(arguments, &text, io.Discard); err != nil {
			result.Error = err.Error()
		}
		result.Output = text.String()
		if err := results.Encode(result); err != nil {
			return err
		}
	}
	return lines.Err()
}
