import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The worker's commands for an LMDB store with the model of the LMDB engine's tests.
///
///     library hold PATH              takes a snapshot, reports that, and waits to be killed
///     library prepare PATH           prepares a save, reports that, and waits to be killed
///     library count PATH N           adds 1 to the pages of book 1, N times, each time in a separate save
///     library grow PATH N BYTES      inserts N tags with labels of BYTES bytes
///     library read PATH USER         becomes that user, opens the store for reading, and reacts to
///                                    lines: `take` takes a snapshot and reads, `again` reads from it
///                                    again, `drop` releases it
struct LibraryVerbs {
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { throw WrongArguments(arguments) }
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        let isReader = arguments[0] == "read"
        if isReader, let user = numbers.first { TestWorker.become(uid_t(user)) }
        guard let verbs = try open(arguments[1], isReadOnly: isReader) else { exit(3) }
        switch (arguments[0], numbers.count) {
        case ("hold", 0): try verbs.hold()
        case ("prepare", 0): try verbs.prepare()
        case ("count", 1): try verbs.count(numbers[0])
        case ("read", 1): try verbs.answer()
        case ("grow", 2): try verbs.grow(numbers[0], byteCount: numbers[1])
        default: throw WrongArguments(arguments)
        }
    }

    private let store: LMDBStore

    /// Opens a store with the model that it contains. Prints the reason and returns `nil` if that fails.
    private static func open(_ path: String, isReadOnly: Bool) throws -> LibraryVerbs? {
        let location = StoreLocation.file(URL(fileURLWithPath: path))
        do {
            guard let description = try LMDBStore.model(at: location) else { exit(3) }
            let hashes = try LMDBStore.metadata(at: location).entityVersionHashes
            let model: ManagedObjectModel
            do {
                model = try ManagedObjectModel(description, recordedHashes: hashes)
            } catch {
                TestWorker.say("refused: \(error)")
                return nil
            }
            return LibraryVerbs(
                store: try LMDBStore.open(
                    OpenRequest(
                        location: location, model: model, isReadOnly: isReadOnly,
                        createsMissing: false, options: isReadOnly ? [.timeout: 0.05] : [:])))
        } catch {
            TestWorker.say("refused: \(error)")
            return nil
        }
    }

    private func hold() throws {
        let snapshot = try store.snapshot()
        TestWorker.say("holding \(snapshot.generation.rawValue)")
        withExtendedLifetime(snapshot) { TestWorker.waitForever() }
    }

    private func answer() throws {
        TestWorker.say("open")
        var snapshot: (any StoreSnapshot)?
        while let line = readLine() {
            do {
                switch line {
                case "take": snapshot = try store.snapshot()
                case "drop": snapshot = nil
                default: break
                }
                TestWorker.say(try snapshot.map(describe) ?? "nothing")
            } catch {
                TestWorker.say("refused: \(error)")
            }
        }
    }

    /// Returns whether the snapshot keeps others from saving, and the labels of all tags.
    private func describe(_ snapshot: any StoreSnapshot) throws(StoreError) -> String {
        guard let tag = store.request.model.entity(named: "Tag"),
            let label = store.request.layouts.layout(of: tag).slot(named: "label")
        else { exit(3) }
        var labels: [String] = []
        let cursor = try snapshot.cursor(FetchPlan(entity: tag))
        while let batch = try cursor.next(atMost: 7) {
            labels += batch.rows.map { $0.string(label) }
        }
        let isAlone = try snapshot.keepsOthersFromSaving()
        return "\(isAlone ? "alone" : "shared") \(labels.joined(separator: ","))"
    }

    private func prepare() throws {
        let transaction = try store.beginSave()
        let tag = try entity("Tag")
        let keys = try transaction.reserveKeys([tag.number: 1])
        guard let key = keys[tag.number]?.lowerBound else { exit(3) }
        try transaction.prepare(SaveRequest(inserted: RowBatch([row(tag, key, label: nil)])))
        TestWorker.say("prepared \(key)")
        withExtendedLifetime(transaction) { TestWorker.waitForever() }
    }

    private func count(_ times: Int) throws {
        let book = try entity("Book")
        let layout = store.request.layouts.layout(of: book)
        guard let pages = layout.slot(named: "pages") else { exit(3) }
        let id = ObjectID(
            store: store.number, rootEntity: book.number, entity: book.number, key: 1)
        var (done, conflicts) = (0, 0)
        while done < times {
            guard let old = try store.snapshot().rows(for: [id]).rows.first(where: { _ in true })
            else { exit(3) }
            var writer = RowWriter(store: store.number)
            writer.begin(layout, key: 1, version: old.version + 1)
            writer.set(old.int16(pages) + 1, at: pages)
            writer.endRow()
            let update = RowUpdate(
                row: writer.takeBatch()[row: 0], previousVersion: old.version,
                changedSlots: [Int(pages.index)])
            do {
                let transaction = try store.beginSave()
                try transaction.prepare(SaveRequest(updated: [update]))
                _ = try transaction.commit()
                done += 1
            } catch {
                guard case .rowConflicts = error else { throw error }
                conflicts += 1
            }
        }
        TestWorker.say("counted \(done), \(conflicts) conflicts")
    }

    private func grow(_ count: Int, byteCount: Int) throws {
        let tag = try entity("Tag")
        let label = String(repeating: "g", count: byteCount)
        for _ in 0..<count {
            let transaction = try store.beginSave()
            guard let key = try transaction.reserveKeys([tag.number: 1])[tag.number]?.lowerBound
            else { exit(3) }
            try transaction.prepare(
                SaveRequest(inserted: RowBatch([try row(tag, key, label: label)])))
            _ = try transaction.commit()
        }
        TestWorker.say("grown")
    }

    private func entity(_ name: String) throws -> Entity {
        guard let entity = store.request.model.entity(named: name) else { exit(3) }
        return entity
    }

    private func row(_ entity: Entity, _ key: Int64, label: String?) throws -> Row {
        let layout = store.request.layouts.layout(of: entity)
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: 1)
        if let label, let slot = layout.slot(named: "label") { try writer.set(label, at: slot) }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }
}
