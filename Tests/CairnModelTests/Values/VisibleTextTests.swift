import Testing

@testable import CairnModel

@Suite struct `Visible text` {
    @Test(arguments: [
        ("a\nb\r\nc\td", "a b c d"), ("\u{1B}[31m\u{0}", "␛[31m␀"), ("\u{7F}", "␡"),
        ("\u{202E}x\u{2069}", "�x�"), ("\u{2028}é😀", " é😀"),
        ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}x", "e\u{301}\u{302}\u{303}\u{304}x"),
    ])
    func `is one line without control characters`(_ text: String, _ line: String) {
        #expect(VisibleText.line(text) == line)
    }

    @Test func `is short, even if a single character is long`() {
        let marks = "e" + String(repeating: "\u{301}", count: 1_000_000)

        let line = VisibleText.line(marks, atMost: 10)
        let exact = VisibleText.shortened("0123456789", atMost: 10)
        let longer = VisibleText.shortened("0123456789A", atMost: 10)

        #expect(line.unicodeScalars.count < 100)
        #expect(exact == ("0123456789", true))
        #expect(longer == ("012345678…", false))
    }
}
