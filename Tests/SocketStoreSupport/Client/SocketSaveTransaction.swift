import CairnModel
import CairnStore

/// A save that the server performs, over a separate connection.
final class SocketSaveTransaction: SaveTransaction {
    private let store: SocketStore
    private let session: SocketSession
    /// The connection, or `nil` after the save has ended.
    private var link: SocketLink?

    init(_ store: SocketStore, _ session: SocketSession, _ link: SocketLink) {
        self.store = store
        self.session = session
        self.link = link
    }

    deinit { rollback() }

    /// Returns the connection.
    ///
    /// - Throws: `.engineFailure` if the save has ended, or `.closed` if the store is closed.
    private func openLink() throws(StoreError) -> SocketLink {
        guard let link else {
            throw .engineFailure(
                EngineFailure(
                    type: SocketStore.type, location: store.request.location, operation: "save",
                    code: 0, message: "the save has ended"))
        }
        try store.checkOpen()
        return link
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        let link = try openLink()
        do {
            return try link.ask(.reserveKeys) { writer in
                writer.keyCounts(counts)
            } answer: { reader throws(MessageDamage) in
                try reader.keys()
            }
        } catch {
            throw link.error(error)
        }
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        let link = try openLink()
        do {
            try link.ask(.prepare) { writer in
                writer.saveRequest(request)
            } answer: { _ throws(MessageDamage) in
            }
        } catch {
            throw link.error(error)
        }
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let link = try openLink()
        do {
            let outcome = try link.ask(.commit) { reader throws(MessageDamage) in
                SaveOutcome(
                    generation: StoreGeneration(try reader.integer(UInt64.self)),
                    recomputed: try reader.batch())
            }
            end(link)
            return outcome
        } catch {
            let location = store.request.location
            switch error {
            case .refused(let refusal): throw refusal
            case .damaged(let damage):
                throw .commitOutcomeUnknown(
                    EngineFailure(
                        type: SocketStore.type, location: location, operation: "commit", code: 0,
                        message: damage.detail))
            case .lost(let loss):
                let failure = SocketLink.failure(loss.failure, at: location)
                throw loss.mayBeDone ? .commitOutcomeUnknown(failure) : .engineFailure(failure)
            }
        }
    }

    func rollback() {
        guard let link else { return }
        // A server that does not receive this request rolls back when the connection ends.
        let end = { () throws(SocketFailure) in
            try link.ask(.rollback) { _ throws(MessageDamage) in }
        }
        if !link.connection.isLost { _ = Result(catching: end) }
        self.end(link)
    }

    private func end(_ link: SocketLink) {
        session.giveBack(link.connection)
        self.link = nil
    }
}
