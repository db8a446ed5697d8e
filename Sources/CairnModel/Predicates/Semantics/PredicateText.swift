import Foundation

/// Folds and compares text for predicates. Engines must use these functions instead of their own.
package enum PredicateText {
    /// Returns the text without diacritics (`[d]`) and with case folded (`[c]`), as the options request. The
    /// result does not depend on the locale.
    ///
    /// Diacritics are scalars of the general category Mn after canonical decomposition. They are removed
    /// first. Case is then folded by Unicode's full default case folding of each scalar. ASCII text takes one
    /// pass over its bytes.
    package static func folded(_ text: String, _ options: PredicateComparison.Options) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? asciiLowercased(text) : text
        }
        let plain = options.contains(.diacriticInsensitive) ? withoutMarks(text) : text
        return options.contains(.caseInsensitive) ? caseFolded(plain) : plain
    }

    /// Calls the body with the folded bytes of a short ASCII text, which are on the stack. Returns `nil` for
    /// any other text; use ``folded(_:_:)`` for that.
    ///
    /// Inlinable so that `body`, which is called once for each row, can be inlined as well.
    ///
    /// - Parameters:
    ///   - text: The text as UTF-8.
    ///   - options: What is folded: case, diacritics, or both.
    ///   - body: Called with the folded bytes, which are valid only during the call.
    @inlinable package static func withFoldedASCII<Result>(
        _ text: UnsafeRawBufferPointer, _ options: PredicateComparison.Options,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard text.count <= 512 else { return nil }
        var (bits, hasCapital) = (UInt8(0), false)
        for byte in text {
            bits |= byte
            hasCapital = hasCapital || byte &- 0x41 < 26
        }
        guard bits < 0x80 else { return nil }
        guard hasCapital, options.contains(.caseInsensitive) else { return body(text) }
        return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { folded in
            for index in 0..<text.count {
                let byte = text[index]
                folded[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            return body(UnsafeRawBufferPointer(folded))
        }
    }

    private static func asciiLowercased(_ text: String) -> String {
        guard text.utf8.contains(where: { 0x41...0x5A ~= $0 }) else { return text }
        return String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func withoutMarks(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
        where scalar.properties.generalCategory != .nonspacingMark {
            result.append(scalar)
        }
        return String(result)
    }

    private static func caseFolded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            result += folding(of: scalar)
        }
        return result
    }

    /// Returns the full case folding of a scalar, computed by mapping it to lower, upper and lower case.
    ///
    /// This equals Unicode's CaseFolding.txt for all scalars (compared with perl's `fc`), except for the
    /// dotless i, which folds to itself, and Cherokee letters, which fold to upper case.
    private static func folding(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x131: return "\u{131}"
        case 0x13A0...0x13FD, 0xAB70...0xABBF: return scalar.properties.uppercaseMapping
        default: break
        }
        let lower = scalar.properties.lowercaseMapping
        let upper = lower.unicodeScalars.map(\.properties.uppercaseMapping).joined()
        return upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    }

    /// Returns the text in upper case, with the full mapping of each scalar and independently of the locale.
    static func uppercased(_ text: String) -> String {
        text.unicodeScalars.map(\.properties.uppercaseMapping).joined()
    }

    static func lowercased(_ text: String) -> String {
        text.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    }

    /// Compares two strings by their UTF-8 bytes, which is also the order of their Unicode scalars. Returns a
    /// negative number, zero or a positive number, as `memcmp` does.
    package static func order(_ left: String, _ right: String) -> Int {
        var (left, right) = (left, right)
        return left.withUTF8 { a in
            right.withUTF8 { b in order(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) }
        }
    }

    /// Returns a negative number, zero or a positive number, as `memcmp` does. A prefix comes before a longer
    /// text.
    package static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let shared = min(a.count, b.count)
        if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }
}
