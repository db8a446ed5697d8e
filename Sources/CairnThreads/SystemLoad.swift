import Foundation

/// What all threads of the system do to its processors.
package enum SystemLoad {
    /// Whether a processor of the system has nothing to do. Costs reading a file of the kernel's, some
    /// microseconds. `true` if the system does not say.
    package static var hasIdleProcessor: Bool {
        guard let text = firstBytes(of: "/proc/loadavg"),
            let running = runningThreadCount(in: text)
        else { return true }
        return running < sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    /// Returns how many threads run or wait for a processor, the calling one included. Returns `nil` for a
    /// text that does not say so.
    ///
    /// - Parameter text: such as `0.20 0.18 0.12 1/80 11206` (proc_loadavg(5)).
    static func runningThreadCount(in text: String) -> Int? {
        let fields = text.split(separator: " ")
        guard fields.count > 3,
            let count = fields[3].split(separator: "/").first.flatMap({ Int($0) })
        else { return nil }
        // The calling thread runs: a system that counts none does not count.
        return count > 0 ? count : nil
    }

    private static func firstBytes(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes in
            let count = read(file, bytes.baseAddress, bytes.count)
            guard count > 0 else { return nil }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }
}
