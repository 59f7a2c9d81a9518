// Tests of the page in a browser. They are a module of their own, so that the tool
// does not depend on a browser's driver.
module github.com/qats-bench/qats/results/page/browser

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect

replace github.com/qats-bench/qats => ../../..
