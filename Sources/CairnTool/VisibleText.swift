/// Formats strings of a store for a terminal or a page: on one line, short, and without characters that would
/// change how the text around them is displayed.
enum VisibleText {
    /// Returns the text as one line.
    ///
    /// Line ends and tabs become spaces. Control characters become their pictures (`␛`). Characters that
    /// reverse the writing direction, and code points that are not characters, become `�`. Of the combining
    /// marks on a character, which could cover the lines above and below, only a few are kept.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        var markCount = 0
        for scalar in text.unicodeScalars {
            markCount = isMark(scalar) ? markCount + 1 : 0
            // A line end of two characters becomes one space.
            let isDropped = scalar == "\n" && last == "\r" || markCount > mostMarks
            if !isDropped { line.append(shown(scalar)) }
            last = scalar
        }
        return String(line)
    }

    /// Returns the text as one line with at most the given number of characters. If the text is longer, the
    /// last character is “…”. The cost is bounded, even if the text is very long.
    static func line(_ text: String, atMost count: Int) -> String {
        shortened(text, atMost: count).line
    }

    /// Returns the same as ``line(_:atMost:)``, and whether the line contains the whole text.
    static func shortened(_ text: String, atMost count: Int) -> (line: String, isWhole: Bool) {
        // A single character can consist of any number of scalars, so the limit on characters is not enough.
        let start = text.unicodeScalars.prefix(count * 4)
        let shown = line(String(start))
        if start.endIndex == text.unicodeScalars.endIndex, shown.count <= count {
            return (shown, true)
        }
        return (shown.prefix(count - 1) + "…", false)
    }

    /// No language puts more marks on one character.
    private static let mostMarks = 4

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: " "
        // Unicode has pictures of the control characters of ASCII, in their order.
        case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB:
            "\u{FFFD}"
        default: scalar.properties.isNoncharacterCodePoint ? "\u{FFFD}" : scalar
        }
    }
}
