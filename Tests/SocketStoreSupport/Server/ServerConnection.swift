import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The server's end of a connection. It answers requests one at a time on one thread, and ends the saves,
/// snapshots and stores that the client has not closed.
final class ServerConnection {
    private let engine: any PersistentStore.Type
    private let folder: URL
    private let sessions: ServedSessions
    /// The token of the store that was opened through this connection.
    private var opened: UInt64?
    private var snapshots = ServedSnapshots()
    private var save: ServedSave?

    init(_ engine: any PersistentStore.Type, _ folder: URL, _ sessions: ServedSessions) {
        self.engine = engine
        self.folder = folder
        self.sessions = sessions
    }

    /// Answers requests until the client disconnects.
    func serve(_ channel: borrowing SocketChannel) {
        do {
            while let request = try channel.receive(atMost: MessageLimits.request) {
                try channel.send(answer(request))
            }
        } catch {
            // The client disconnected or sent invalid data, so no answer is possible.
        }
        end()
    }

    private func end() {
        save?.transaction.rollback()
        save = nil
        snapshots = ServedSnapshots()
        guard let opened else { return }
        let store = sessions.store(opened)?.store
        sessions.remove(opened)
        do { try store?.close() } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
        }
    }

    /// Returns the answer to a request: a flag, followed by the result or an error.
    func answer(_ request: [UInt8]) -> [UInt8] {
        var writer = MessageWriter()
        do {
            writer.flag(true)
            try carryOut(request, &writer)
            return try checkLength(writer).bytes
        } catch {
            writer = MessageWriter()
            writer.flag(false)
            writer.error(error)
            return writer.bytes
        }
    }

    private func checkLength(_ writer: MessageWriter) throws(StoreError) -> MessageWriter {
        if writer.bytes.count <= MessageLimits.answer { return writer }
        throw .unsupported(
            .file(folder), feature: "no answer of \(writer.bytes.count) bytes",
            advice: "Ask for fewer objects at a time.")
    }

    private func carryOut(_ bytes: [UInt8], _ writer: inout MessageWriter) throws(StoreError) {
        var request = ServedRequest(
            bytes,
            MessageContext(
                location: .file(folder), layouts: nil, store: StoreNumber(rawValue: 0)))
        let (operation, token) = try request.header(&snapshots)
        if operation == .open { return try open(&request, &writer) }
        guard let opened = sessions.store(token) else {
            throw .lostSession(at: .file(folder))
        }
        request.context = opened.context
        switch operation {
        case .beginSave, .reserveKeys, .prepare, .commit, .rollback:
            try answerSave(operation, &request, opened, &writer)
        case .fetch, .count, .rows, .relatedIDs, .related, .changes, .externalData:
            try answerRead(operation, &request, opened, &writer)
        default: try answerStore(operation, &request, opened.store, &writer)
        }
    }

    // MARK: The store

    private func open(
        _ request: inout ServedRequest, _ writer: inout MessageWriter
    ) throws(StoreError) {
        guard opened == nil else { throw request.failure("the connection has a store already") }
        let store = try engine.open(
            try request.last { [folder] reader throws(MessageDamage) in
                try reader.openRequest(in: folder)
            })
        let identifier = try store.metadata().identifier
        let token = sessions.add(OpenedStore(store: store, identifier: identifier))
        opened = token
        writer.integer(token)
        writer.text(identifier)
    }

    private func answerStore(
        _ operation: SocketOperation, _ request: inout ServedRequest, _ store: any PersistentStore,
        _ writer: inout MessageWriter
    ) throws(StoreError) {
        switch operation {
        case .metadata:
            try request.end()
            writer.metadata(try store.metadata())
        case .newestGeneration:
            try request.end()
            writer.integer(try store.newestGeneration().rawValue)
        case .outcome:
            let id = try request.last { reader throws(MessageDamage) in try reader.saveID() }
            writer.outcome(try store.outcome(of: id))
        case .snapshot:
            let number = try request.last { reader throws(MessageDamage) in
                try reader.integer(UInt64.self)
            }
            let snapshot = try store.snapshot()
            snapshots.add(snapshot, number)
            writer.integer(snapshot.generation.rawValue)
        default:
            try request.end()
            snapshots = ServedSnapshots()
            try store.close()
        }
    }

    // MARK: Reading

    private func answerRead(
        _ operation: SocketOperation, _ request: inout ServedRequest, _ opened: OpenedStore,
        _ writer: inout MessageWriter
    ) throws(StoreError) {
        let number = try request.read { reader throws(MessageDamage) in
            try reader.integer(UInt64.self)
        }
        let snapshot = try snapshots.snapshot(number, at: request.context.location)
        switch operation {
        case .fetch: try answerFetch(&request, snapshot, &writer)
        case .count:
            let fetch = try request.last { reader throws(MessageDamage) in try reader.fetch() }
            writer.optional(try snapshot.count(fetch.plan)) { $0.integer(UInt64($1)) }
        case .rows:
            let ids = try request.last { reader throws(MessageDamage) in try reader.ids() }
            try ServedReading.rows(for: ids, in: snapshot, &writer)
        case .relatedIDs:
            let (relationship, ids) = try request.last { reader throws(MessageDamage) in
                (try reader.persistentToMany(), try reader.ids())
            }
            try ServedReading.members(relationship, of: ids, in: snapshot, &writer)
        case .related:
            let questions = try request.last { reader throws(MessageDamage) in
                try reader.questions()
            }
            try ServedReading.answer(questions, in: snapshot, &writer)
        case .changes:
            let earlier = try request.last { reader throws(MessageDamage) in
                StoreGeneration(try reader.integer(UInt64.self))
            }
            let changes = sessions.changes.changes(
                from: earlier, to: snapshot.generation, in: opened)
            writer.optional(changes) { $0.changes($1) }
        default:
            let name = try request.last { reader throws(MessageDamage) in try reader.text() }
            writer.block(
                try snapshot.externalData(
                    ExternalReference(store: request.context.store, name: name)))
        }
    }

    private func answerFetch(
        _ request: inout ServedRequest, _ snapshot: any StoreSnapshot,
        _ writer: inout MessageWriter
    ) throws(StoreError) {
        let (number, fetch, count) = try request.last { reader throws(MessageDamage) in
            (try reader.integer(UInt64.self), try reader.fetch(), try reader.natural())
        }
        let (batch, isLast) = try snapshots.next(
            of: number, fetch, in: snapshot, atMost: max(count, 1))
        writer.batch(batch)
        writer.flag(isLast)
    }

    // MARK: Saving

    private func answerSave(
        _ operation: SocketOperation, _ request: inout ServedRequest, _ opened: OpenedStore,
        _ writer: inout MessageWriter
    ) throws(StoreError) {
        if operation == .beginSave {
            let counts = try request.last { reader throws(MessageDamage) in
                try reader.keyCounts()
            }
            guard save == nil else { throw request.failure("the connection has a save already") }
            let begun = try opened.store.beginSave(reserving: counts)
            save = ServedSave(
                begun.transaction, on: try Self.generation(of: begun, in: opened.store))
            writer.keys(begun.keys)
            writer.optional(begun.generation) { $0.integer($1.rawValue) }
            return
        }
        guard let save else { throw request.failure("no save was begun") }
        switch operation {
        case .reserveKeys:
            let counts = try request.last { reader throws(MessageDamage) in
                try reader.keyCounts()
            }
            writer.keys(try save.transaction.reserveKeys(counts))
        case .prepare: try self.save?.prepare(try request.saveRequest())
        case .commit:
            try request.end()
            let outcome = try save.transaction.commit()
            self.save = nil
            sessions.changes.note(
                save.changes(outcome), from: save.before, to: outcome.generation, in: opened)
            writer.integer(outcome.generation.rawValue)
            writer.batch(outcome.recomputed)
        default:
            try request.end()
            save.transaction.rollback()
            self.save = nil
        }
    }

    /// Returns the state on which a save is based. The save holds the lock, so the state cannot change.
    private static func generation(
        of begun: BegunSave, in store: any PersistentStore
    ) throws(StoreError) -> StoreGeneration {
        if let generation = begun.generation { return generation }
        return try store.newestGeneration()
    }
}
