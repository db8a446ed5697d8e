import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The other process of a rule. It executes commands until its standard input ends.
struct ConformanceWorker {
    private let harness: any StoreHarness
    private var subject: StoreSubject?
    private var held: (any StoreSnapshot)?
    private var save: (any SaveTransaction)?

    init(_ harness: any StoreHarness) { self.harness = harness }

    /// Answers each command with one line of output.
    mutating func serve() {
        while let line = readLine() {
            guard let command = try? JSONDecoder().decode(WorkerCommand.self, from: Data(line.utf8))
            else { return }
            do {
                Self.answer(try reply(to: command))
            } catch {
                Self.answer(WorkerReply(error))
            }
        }
    }

    private static func answer(_ reply: WorkerReply) {
        guard var line = try? JSONEncoder().encode(reply) else { return }
        line.append(UInt8(ascii: "\n"))
        FileHandle.standardOutput.write(line)
    }

    private mutating func reply(to command: WorkerCommand) throws -> WorkerReply {
        switch command {
        case .open(let location, let isReadOnly, let timeout):
            subject = try open(
                try location.location(), createsMissing: location.isMemory,
                isReadOnly: isReadOnly, timeout: timeout)
        case .metadata(let location):
            let metadata = try harness.metadata(at: try location.location())
            return WorkerReply(texts: [metadata.identifier])
        case .readAll(let location): return try readAll(try location.location())
        case .hold: held = try opened().store.snapshot()
        case .albums(let isHeld): return try albums(in: isHeld ? held : nil)
        case .heldBlob(let uri): return try heldBlob(uri)
        case .insert(let names):
            return WorkerReply(try opened().insertAll("Album", Self.values(names)))
        case .insertMember(let label):
            let subject = try opened()
            try subject.insert("Album", ["label": .objectID(try subject.id(label))])
        case .raiseYear(let uri, let count):
            let subject = try opened()
            let id = try subject.id(uri)
            for _ in 0..<count { try subject.raiseYear(of: id) }
        case .savePairs: try savePairs()
        case .saveNamed: try saveNamed()
        case .outcome(let name):
            let id = SaveID(try requireValue(UUID(uuidString: name), "a name"))
            return WorkerReply(texts: ["\(try opened().store.outcome(of: id))"])
        case .beginSave: save = try opened().store.beginSave()
        case .prepare(let names): try prepare(names)
        case .commit: _ = try requireValue(save, "a save").commit()
        case .rollback: save?.rollback()
        }
        return WorkerReply()
    }

    private func open(
        _ location: StoreLocation, createsMissing: Bool, isReadOnly: Bool, timeout: Double?
    ) throws -> StoreSubject {
        let options: StoreOptions = timeout.map { [.timeout: .real($0)] } ?? [:]
        return try StoreSubject(
            harness, at: location, isReadOnly: isReadOnly, createsMissing: createsMissing,
            options: options)
    }

    private func opened() throws -> StoreSubject { try requireValue(subject, "an open store") }

    private static func values(_ names: [String]) -> [[String: Value]] {
        names.map { ["name": .string($0)] }
    }

    private func albums(in snapshot: (any StoreSnapshot)?) throws -> WorkerReply {
        let subject = try opened()
        let snapshot = try snapshot ?? subject.store.snapshot()
        var reply = WorkerReply()
        for row in try subject.rows("Album", in: snapshot) {
            reply.uris.append(row.id.uriRepresentation())
            if case .string(let name) = try subject.value("name", of: row) {
                reply.texts.append(name)
            }
        }
        reply.generation = snapshot.generation.rawValue
        return reply
    }

    private func heldBlob(_ uri: URL) throws -> WorkerReply {
        let subject = try opened()
        let snapshot = try requireValue(held, "a held snapshot")
        let batch = try snapshot.rows(for: [try subject.id(uri)])
        let row = try requireValue(batch.rows.first { _ in true }, "the row")
        guard case .binary(let blob) = try subject.value("blob", of: row, in: snapshot) else {
            return WorkerReply(texts: ["no bytes"])
        }
        return WorkerReply(texts: ["\(blob.count) bytes, beginning with \(blob.first ?? 0)"])
    }

    private func savePairs() throws {
        let subject = try opened()
        for number in 1... {
            let name = "pair \(number)"
            let ids = try subject.insertAll("Album", Self.values([name, name]))
            Self.answer(WorkerReply(ids))
        }
    }

    private func saveNamed() throws {
        let subject = try opened()
        while true {
            let id = SaveID()
            Self.answer(WorkerReply(texts: ["\(id)"]))
            try subject.save { draft in
                draft.request.id = id
                try draft.insertAll("Album", Self.values(["\(id)"]))
            }
        }
    }

    private func prepare(_ names: [String]) throws {
        let save = try requireValue(save, "a save")
        var draft = SaveDraft(try opened(), save)
        try draft.insertAll("Album", Self.values(names))
        try save.prepare(draft.request)
    }

    private func readAll(_ location: StoreLocation) throws -> WorkerReply {
        let subject = try open(
            location, createsMissing: false, isReadOnly: true, timeout: nil)
        defer { try? subject.store.close() }
        var count = 0
        let snapshot = try subject.store.snapshot()
        for entity in subject.model.entities where entity.superentity == nil {
            let rows = try subject.rows(entity.name, in: snapshot)
            for row in rows { count += subject.layouts.values(of: row).count }
            for relationship in entity.relationships where relationship.isToMany {
                count += try snapshot.relatedIDs(relationship, of: rows.map(\.id)).members.count
            }
        }
        return WorkerReply(texts: ["\(count)"])
    }
}

extension RowLayouts {
    /// Returns the values of a row's slots. Returns an empty array if the model does not have the
    /// row's entity.
    fileprivate func values(of row: Row) -> [Value] {
        layout(of: row.entity)?.slots.map { row.value($0) } ?? []
    }
}
