import SocketStoreSupport
import Testing

/// One of the messages of a save or a read, and the point at which the connection is cut.
struct MessageCut: Sendable, CustomTestStringConvertible {
    /// Each message of a save, cut at each point.
    static let ofSave = all([.beginSave, .prepare, .commit])
    /// Each message of a fetch that prefetches a to-many relationship, cut at each point.
    static let ofRead = all([.snapshot, .fetch, .related])

    /// The index of the message.
    let index: Int
    let message: SocketOperation
    let cut: SocketTraffic.Cut

    var testDescription: String { "\(message), \(cut)" }

    /// Whether the server may have received the request to commit.
    var mayHaveCommitted: Bool {
        message == .commit && [.afterRequest, .beforeAnswer].contains(cut)
    }

    private static func all(_ messages: [SocketOperation]) -> [MessageCut] {
        messages.enumerated().flatMap { index, message in
            SocketTraffic.Cut.allCases.map { MessageCut(index: index, message: message, cut: $0) }
        }
    }
}
