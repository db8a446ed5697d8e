import Foundation

/// The socket of a client.
struct Connection: Sendable {
    let socket: Int32

    /// The lines that the client sends, read on a thread of their own.
    var lines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                let handle = FileHandle(fileDescriptor: socket)
                var waiting = Data()
                while true {
                    let part = handle.availableData
                    if part.isEmpty { break }
                    waiting += part
                    while let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: waiting[..<end], as: UTF8.self))
                        waiting = Data(waiting[waiting.index(after: end)...])
                    }
                }
                continuation.finish()
            }
        }
    }

    /// Sends an answer. Waits for a slow client, on a thread of its own.
    func send(_ lines: [String]) async {
        let text = Data((lines + ["", ""]).joined(separator: "\n").utf8)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                try? FileHandle(fileDescriptor: socket).write(contentsOf: text)
                continuation.resume()
            }
        }
    }

    func close() { try? FileHandle(fileDescriptor: socket).close() }
}
