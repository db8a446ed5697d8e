import Foundation

/// The compiler's messages about one source file, without parts that differ from run to run.
struct CompilerMessages: CustomStringConvertible {
    private var lines: Set<Line> = []

    private struct Line: Hashable, Comparable {
        let number: Int
        let text: String

        static func < (left: Line, right: Line) -> Bool {
            (left.number, left.text) < (right.number, right.text)
        }
    }

    /// Reads the compiler's output. Each error counts once, at its line of the source. An error in a macro's
    /// expansion is at the line of the macro. Notes are left out.
    init(_ output: String) {
        var pending: String?
        for line in output.split(separator: "\n") {
            if let text = pending, let number = Self.number(in: line, before: "expanded code") {
                lines.insert(Line(number: number, text: text))
            }
            pending = nil
            guard let message = line.firstMatch(of: /^(.+?):(\d+):(?:\d+:)? (error|warning): (.+)$/)
            else {
                continue
            }
            let text = "\(message.3): \(message.4.replacing(#/ \(from macro '.*'\)$/#, with: ""))"
            if message.1.hasPrefix("macro expansion") {
                pending = text
            } else {
                lines.insert(Line(number: Int(message.2) ?? 0, text: text))
            }
        }
    }

    private static func number(in line: Substring, before text: String) -> Int? {
        guard line.contains(text) else { return nil }
        return line.firstMatch(of: /:(\d+):\d+: note:/).flatMap { Int($0.1) }
    }

    var description: String {
        lines.sorted().map { "\($0.number): \($0.text)\n" }.joined()
    }
}
