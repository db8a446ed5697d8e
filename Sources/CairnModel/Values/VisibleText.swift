/// Text from outside, such as a value, a name or a path, for display in a message, a terminal or a page: on
/// one line, short, and without characters that affect the display of the surrounding text.
package enum VisibleText {
    /// Returns the text as one line.
    ///
    /// Line breaks and tabs become spaces, and control characters become their pictures (`␛`). Characters
    /// that reverse the writing direction, and values that are not characters, become `�`. Only a few
    /// combining marks per character are kept, because more would cover the surrounding lines.
    package static func line(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var line = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        var markCount = 0
        for scalar in text.unicodeScalars {
            markCount = isMark(scalar) ? markCount + 1 : 0
            // A CRLF line break becomes one space.
            let isDropped = scalar == "\n" && last == "\r" || markCount > mostMarks
            if !isDropped { line.append(shown(scalar)) }
            last = scalar
        }
        return String(line)
    }

    /// Returns the text as one line of at most `count` characters. If the text is longer, the last character
    /// is “…”. The cost does not depend on the length of the text.
    package static func line(_ text: String, atMost count: Int) -> String {
        shortened(text, atMost: count).line
    }

    /// Returns ``line(_:atMost:)``, and whether it contains the whole text.
    package static func shortened(_ text: String, atMost count: Int) -> (
        line: String, isWhole: Bool
    ) {
        // Limit the scalars, because a single character can have any number of them.
        let start = text.unicodeScalars.prefix(count * 4)
        let shown = line(String(start))
        if start.endIndex == text.unicodeScalars.endIndex, shown.count <= count {
            return (shown, true)
        }
        return (shown.prefix(count - 1) + "…", false)
    }

    /// The maximum number of combining marks. No language has more on one character.
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
        // Unicode has pictures of the ASCII control characters, in the same order.
        case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB:
            "\u{FFFD}"
        default: scalar.properties.isNoncharacterCodePoint ? "\u{FFFD}" : scalar
        }
    }
}
