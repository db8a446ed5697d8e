import Foundation

/// A file descriptor that is closed with its owner, and that child processes do not inherit
/// automatically.
final class OwnDescriptor {
    /// The descriptor, or −1 after it was closed. `poll` ignores descriptors with that value.
    private(set) var number: Int32

    private init(_ number: Int32) {
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    deinit { close() }

    func close() {
        guard number >= 0 else { return }
        Foundation.close(number)
        number = -1
    }

    /// Returns the end to read from, and the end to write to.
    static func pipe() throws(ChildProcess.Failure) -> (OwnDescriptor, OwnDescriptor) {
        try pair { Foundation.pipe($0) }
    }

    static func socketPair() throws(ChildProcess.Failure) -> (OwnDescriptor, OwnDescriptor) {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        return try pair { socketpair(AF_UNIX, kind, 0, $0) }
    }

    private static func pair(
        _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(ChildProcess.Failure) -> (OwnDescriptor, OwnDescriptor) {
        var numbers: [Int32] = [-1, -1]
        let made = numbers.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { make($0) == 0 } ?? false
        }
        guard made else {
            throw ChildProcess.Failure(
                description: "a pipe to a process could not be created: \(systemError())")
        }
        return (OwnDescriptor(numbers[0]), OwnDescriptor(numbers[1]))
    }

    /// Appends the available bytes, after waiting for the first one. Returns `false` at the end.
    func read(into bytes: inout [UInt8]) -> Bool {
        let room = 65_536
        var count = 0
        // Do not append in place: initializing bytes one by one takes most of a test's time in a
        // debug build.
        bytes += [UInt8](unsafeUninitializedCapacity: room) { buffer, initializedCount in
            repeat {
                count = Foundation.read(number, buffer.baseAddress, room)
            } while count < 0 && errno == EINTR
            initializedCount = max(0, count)
        }
        return count > 0
    }
}
