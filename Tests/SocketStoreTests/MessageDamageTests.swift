import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import SocketStoreSupport

/// A server's connection in this process, and client requests of every kind.
private struct Conversation {
    let connection = ServerConnection(
        InMemoryStore.self, URL(fileURLWithPath: "/nowhere"), ServedSessions())
    private(set) var token: UInt64 = 0
    let model: ManagedObjectModel
    let layouts: RowLayouts

    init() throws {
        model = try SongLibrary.makeModel()
        layouts = RowLayouts(model)
        let answer = connection.answer(openRequest)
        var reader = MessageReader(answer, context)
        try #require(try reader.flag())
        token = try reader.integer(UInt64.self)
    }

    var context: MessageContext {
        MessageContext(
            location: .memory("songs"), layouts: layouts, store: StoreNumber(rawValue: 7))
    }

    var openRequest: [UInt8] {
        var writer = MessageWriter(.open, of: 0)
        writer.openRequest(
            OpenRequest(
                location: .memory("songs"), model: model, layouts: layouts,
                options: [.timeout: 0.01]), name: "songs")
        return writer.bytes
    }

    /// Returns requests in an order in which all of them succeed.
    func requests() throws -> [[UInt8]] {
        let song = try #require(model.entity(named: "Song"))
        let id = ObjectID(
            store: context.store, rootEntity: song.number, entity: song.number, key: 1)
        let singers = try #require(song.relationship(named: "singers"))
        let plan = FetchPlan(entity: song, offset: 0, limit: 5)
        return [
            request(.metadata), request(.newestGeneration),
            request(.beginSave) { $0.keyCounts([song.number: 2]) },
            request(.reserveKeys) { $0.keyCounts([song.number: 2]) },
            try prepareRequest(song), request(.commit),
            request(.beginSave) { $0.keyCounts([:]) }, request(.rollback),
            request(.outcome) { $0.saveID(SaveID()) },
            request(.snapshot) { $0.integer(UInt64(1)) },
            request(.fetch, releasing: [9]) { writer in
                writer.integer(UInt64(1))
                writer.integer(UInt64(2))
                writer.fetch(SocketFetch(plan))
                writer.integer(UInt64(100))
            },
            request(.count) { writer in
                writer.integer(UInt64(1))
                writer.fetch(SocketFetch(plan))
            },
            request(.rows) { writer in
                writer.integer(UInt64(1))
                writer.list([id]) { $0.id($1) }
            },
            request(.related) { writer in
                writer.integer(UInt64(1))
                writer.questions(
                    [RelatedQuestion(singers, of: [id], includesRows: true)], own: context.store)
            },
            request(.relatedIDs) { writer in
                writer.integer(UInt64(1))
                writer.relationship(singers)
                writer.list([id]) { $0.id($1) }
            },
        ]
    }

    private func prepareRequest(_ song: Entity) throws -> [UInt8] {
        let singers = try #require(song.relationship(named: "singers"))
        let singer = try #require(model.entity(named: "Singer"))
        let title = try #require(layouts.layout(of: song).slot(named: "title"))
        var rows = RowWriter(store: context.store)
        rows.begin(layouts.layout(of: song), key: 1, version: 1)
        try rows.set("dawn", at: title)
        rows.endRow()
        rows.begin(layouts.layout(of: singer), key: 1, version: 1)
        rows.endRow()
        let inserted = rows.takeBatch()
        var save = SaveRequest(
            inserted: inserted,
            pairs: [
                PairChange(
                    .insert, singers.ownsPairs ? singers : try #require(singers.inverse),
                    owner: inserted.id(at: singers.ownsPairs ? 0 : 1),
                    member: inserted.id(at: singers.ownsPairs ? 1 : 0))
            ], metadata: ["a": .array([1, "b"])], author: "me")
        save.id = SaveID()
        return request(.prepare) { $0.saveRequest(save) }
    }

    private func request(
        _ operation: SocketOperation, releasing: [UInt64] = [],
        _ write: (inout MessageWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = MessageWriter(operation, of: token, releasing: releasing)
        write(&writer)
        return writer.bytes
    }
}

@Suite struct `Messages that may be damaged` {
    /// Returns whether an answer reports success.
    private func isSuccess(_ answer: [UInt8]) -> Bool { answer.first == 1 }

    /// Returns the error in an answer, or `nil` if the answer contains no readable error.
    private func error(in answer: [UInt8], _ context: MessageContext) -> StoreError? {
        var reader = MessageReader(answer, context)
        guard let isSuccess = try? reader.flag(), !isSuccess else { return nil }
        return try? reader.error()
    }

    @Test func `that are complete are answered`() throws {
        let conversation = try Conversation()

        for request in try conversation.requests() {
            let answer = conversation.connection.answer(request)

            #expect(isSuccess(answer), "\(String(describing: request.first))")
        }
    }

    @Test func `that are truncated are refused, wherever they end`() throws {
        let conversation = try Conversation()
        let requests = try [conversation.openRequest] + conversation.requests()

        for request in requests {
            for count in 0..<request.count {
                let answer = conversation.connection.answer(Array(request.prefix(count)))

                #expect(error(in: answer, conversation.context) != nil, "\(count) of \(request)")
            }
            // Later requests depend on this request.
            if request != requests[0] { _ = conversation.connection.answer(request) }
        }
    }

    @Test func `with more at the end are refused`() throws {
        let conversation = try Conversation()

        for request in try conversation.requests() {
            let refused = conversation.connection.answer(request + [0])
            let answered = conversation.connection.answer(request)

            #expect(error(in: refused, conversation.context) != nil)
            #expect(isSuccess(answered))
        }
    }

    @Test func `of any bytes result in an answer or an error`() throws {
        let seed = SeededRandom.seed(of: "damaged messages")
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let conversation = try Conversation()
            for request in try conversation.requests() {
                for _ in 0..<20 {
                    var damaged = request
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        let index = Int.random(in: damaged.indices, using: &random)
                        damaged[index] = .random(in: 0 ... .max, using: &random)
                    }
                    let answer = conversation.connection.answer(damaged)
                    if !isSuccess(answer) {
                        #expect(error(in: answer, conversation.context) != nil)
                    }
                }
                _ = conversation.connection.answer(request)
            }
        }
    }

    @Test func `that are truncated answers are refused, wherever they end`() throws {
        let conversation = try Conversation()
        let context = conversation.context
        for error in try Self.errors(conversation) {
            var writer = MessageWriter()
            writer.error(error)

            var whole = MessageReader(writer.bytes, context)
            let read = try whole.error()

            #expect("\(read)" == "\(error)")
            #expect(whole.rest == 0)
            for count in 0..<writer.bytes.count {
                var cut = MessageReader(Array(writer.bytes.prefix(count)), context)
                #expect(throws: MessageDamage.self) { try cut.error() }
            }
        }
    }

    /// Returns an error of every case that a server sends unchanged.
    private static func errors(_ conversation: Conversation) throws -> [StoreError] {
        let location = conversation.context.location
        let song = try #require(conversation.model.entity(named: "Song"))
        var writer = RowWriter(store: conversation.context.store)
        writer.begin(conversation.layouts.layout(of: song), key: 3, version: 4)
        writer.endRow()
        let row = writer.takeBatch()[row: 0]
        let failure = EngineFailure(
            type: SocketStore.type, location: location, operation: "write", code: 28,
            message: "no room", isTransient: true)
        let hash = song.versionHash
        return [
            .notFound(location), .readOnly(location), .closed(location), .cancelled,
            .deadlineExceeded,
            .modelMismatch(
                location, differences: [ModelDifference(entity: "Song", stored: hash, model: nil)]),
            .invalidOption("a", detail: "b"),
            .unsupported(location, feature: "a", advice: "b"),
            .busy(location, waited: .milliseconds(50)), .locked(location, holder: "another"),
            .rowConflicts([
                RowConflict(id: row.id, expectedVersion: 3, stored: row),
                RowConflict(id: row.id, expectedVersion: 3, stored: nil),
            ]),
            .referenceConflicts(
                [ReferenceConflict.Reason.deleted, .missing, .oneSided].map {
                    ReferenceConflict(
                        $0, object: row.id, entity: "Song", relationship: "album",
                        members: [row.id])
                }),
            .uniquenessConflicts([
                UniquenessConflict(
                    entity: "Song", constraint: ["title"], requested: [row.id], stored: row)
            ]),
            .unsupportedValue(entity: "Song", attribute: "title", reason: "it is too long"),
            .keysExhausted(entity: "Song"), .saveNameTooSmall(location, greatest: SaveID()),
            .corrupt(location, location: "row 3", detail: "it is too short"),
            .externalDataMissing(
                ExternalReference(store: conversation.context.store, name: "a"), path: "/b"),
            .engineFailure(failure), .commitOutcomeUnknown(failure),
        ]
    }
}
