import Foundation

/// The tool's standard output and error.
enum Output {
    /// Writes bytes to standard output.
    ///
    /// - Throws: ``ToolFailure/readerIsGone`` if the reader has closed the pipe; another ``ToolFailure`` if
    ///   the disk is full.
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
        try write(Data((PathAlias.shown(in: text) + "\n").utf8))
    }

    /// Writes a line to standard error. A failure is ignored, because it could not be reported.
    static func error(_ text: String) {
        try? FileHandle.standardError.write(
            contentsOf: Data((PathAlias.shown(in: text) + "\n").utf8))
    }
}
