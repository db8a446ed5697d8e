import Cairn
import Foundation

/// The tool's standard output and error.
enum Output {
    /// Writes bytes to standard output.
    ///
    /// - Throws: ``ToolFailure/readerIsGone`` if standard output has no reader any more; another
    ///   ``ToolFailure`` if writing fails, for example because the disk is full.
    static func write(_ data: Data) throws(ToolFailure) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw .readerIsGone
            } else if errno != EINTR {
                throw ToolFailure(
                    "writing to standard output failed: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Writes a line to standard output.
    static func line(_ text: String) throws(ToolFailure) {
        try write(Data((shown(text) + "\n").utf8))
    }

    /// Writes a line to standard error. Ignores a failure, because there is no way to report it.
    static func error(_ text: String) {
        try? FileHandle.standardError.write(
            contentsOf: Data((shown(text) + "\n").utf8))
    }

    /// Returns the text with the paths that the user gave, and without control characters other than line
    /// breaks and tabs. Whoever composes a text with a name in it removes the name's line breaks.
    private static func shown(_ text: String) -> String {
        let text = PathAlias.shown(in: text)
        let isPlain = text.utf8.allSatisfy {
            (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09
        }
        if isPlain { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map { VisibleText.line(String($0)) }.joined(separator: "\t")
            }
            .joined(separator: "\n")
    }
}
