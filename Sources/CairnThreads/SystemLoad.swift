import Foundation

/// The load of the system's processors by all threads.
package enum SystemLoad {
    /// Whether a processor of the system is idle. `true` if the system does not tell. The cost is
    /// that of reading a kernel file, a few microseconds.
    package static var hasIdleProcessor: Bool {
        guard let text = firstBytes(of: "/proc/loadavg"),
            let running = runningThreadCount(in: text)
        else { return true }
        return running < sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    /// Returns the number of threads that run or wait for a processor, including the calling
    /// thread. Returns `nil` if the text does not contain the number.
    ///
    /// - Parameter text: text such as `0.20 0.18 0.12 1/80 11206`: see proc_loadavg(5).
    static func runningThreadCount(in text: String) -> Int? {
        let fields = text.split(separator: " ")
        guard fields.count > 3,
            let count = fields[3].split(separator: "/").first.flatMap({ Int($0) })
        else { return nil }
        // The calling thread is running, so a system that reports 0 does not count at all.
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
