import Foundation

/// A failure of a connection: the other end closed it, or a system call failed.
struct ChannelFailure: Error, Sendable {
    /// The operation that failed.
    let operation: String
    /// `errno`, or 0 if the other end closed the connection.
    let code: Int32

    var message: String {
        code == 0 ? "the other end closed the connection" : String(cString: strerror(code))
    }
}

/// One end of a connection over a Unix socket. A message is sent as a length of 4 bytes and that number of
/// bytes. Only one thread may use a channel at a time.
struct SocketChannel: ~Copyable {
    private let descriptor: Int32

    /// Takes ownership of a connected socket, which is closed with this value.
    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a server.
    init(path: String) throws(ChannelFailure) {
        let descriptor = try Self.makeSocket()
        let code = Self.withAddress(of: path) { connect(descriptor, $0, $1) }
        guard code == 0 else {
            close(descriptor)
            throw ChannelFailure(operation: "connect", code: code ?? ENAMETOOLONG)
        }
        self.descriptor = descriptor
    }

    /// Creates a socket that child processes do not inherit.
    static func makeSocket() throws(ChannelFailure) -> Int32 {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw ChannelFailure(operation: "socket", code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// Calls the body with the address of a path. Returns 0 if the call succeeds, `errno` if it fails, or
    /// `nil` if the path is too long for an address.
    static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard bytes.count < room.count else { return false }
            room.copyBytes(from: bytes)
            return true
        }
        guard fits else { return nil }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
    }

    /// Sends a message. If this fails, the other end has not received the whole message.
    ///
    /// - Parameter onlyHalf: Whether to send only half of the bytes, like a sender whose connection is cut.
    func send(_ message: [UInt8], onlyHalf: Bool = false) throws(ChannelFailure) {
        var frame: [UInt8] = []
        withUnsafeBytes(of: UInt32(message.count).littleEndian) { frame.append(contentsOf: $0) }
        frame += message
        var left = frame[...].prefix(onlyHalf ? frame.count / 2 : frame.count)
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                #if canImport(Darwin)
                write(descriptor, $0.baseAddress, $0.count)
                #else
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            if count > 0 {
                left = left.dropFirst(count)
            } else if errno != EINTR {
                throw ChannelFailure(operation: "send", code: errno)
            }
        }
    }

    /// Waits until a message starts to arrive. Returns `false` if none arrives by the deadline.
    func hasMessage(by deadline: ContinuousClock.Instant) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: deadline) / Duration.milliseconds(1)
            let found = poll(&entry, 1, Int32(max(0, min(left + 1, 3_600_000))))
            if found == 0, deadline <= .now { return false }
            // Receiving will report what is wrong with the connection.
            if found > 0 || found < 0 && errno != EINTR { return true }
        }
    }

    /// Waits for the next message. Returns `nil` if the connection ends between two messages.
    ///
    /// - Throws: ``ChannelFailure`` if the connection ends within a message, or if a message is longer than
    ///   `limit`.
    func receive(atMost limit: Int) throws(ChannelFailure) -> [UInt8]? {
        guard let header = try read(4, mayEnd: true) else { return nil }
        let length = header.withUnsafeBytes { UInt32(littleEndian: $0.load(as: UInt32.self)) }
        guard length <= limit else { throw ChannelFailure(operation: "receive", code: EMSGSIZE) }
        return try read(Int(length), mayEnd: false)
    }

    private func read(_ count: Int, mayEnd: Bool) throws(ChannelFailure) -> [UInt8]? {
        var filled = 0
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            while filled < count {
                let room = buffer.baseAddress.map { $0 + filled }
                let found = recv(descriptor, room, count - filled, 0)
                if found > 0 {
                    filled += found
                } else if found == 0 || errno != EINTR {
                    failure = found == 0 ? 0 : errno
                    break
                }
            }
            initializedCount = filled
        }
        guard let failure else { return bytes }
        if failure == 0, filled == 0, mayEnd { return nil }
        throw ChannelFailure(operation: "receive", code: failure)
    }
}
