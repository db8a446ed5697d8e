import SocketStoreSupport
import Testing

/// One of the messages of a save or a read, and where in it the connection is cut.
struct MessageCut: Sendable, CustomTestStringConvertible {
    /// Each message of a save, cut in each way.
    static let ofSave = all([.beginSave, .prepare, .commit])
    /// Each message of a fetch that prefetches a to-many, cut in each way.
    static let ofRead = all([.snapshot, .fetch, .related])

    /// Which of the messages it is, from 0.
    let index: Int
    let message: SocketOperation
    let cut: SocketTraffic.Cut

    var testDescription: String { "\(message), \(cut)" }

    /// Whether the server may have got the request to commit.
    var mayHaveCommitted: Bool {
        message == .commit && [.afterRequest, .beforeAnswer].contains(cut)
    }

    private static func all(_ messages: [SocketOperation]) -> [MessageCut] {
        messages.enumerated().flatMap { index, message in
            SocketTraffic.Cut.allCases.map { MessageCut(index: index, message: message, cut: $0) }
        }
    }
}
