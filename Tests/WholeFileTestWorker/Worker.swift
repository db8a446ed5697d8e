import CairnBinary
import CairnModel
import CairnStore
import CairnXML
import Foundation

/// What tests of whole-file engines run as another process, on a store of counters.
///
///     count TYPE PATH N      adds 1 to counter 1, N times, each in a save of its own
///     prepare TYPE PATH      prepares a save, says so, and waits to be killed
///     outgrow TYPE PATH N    may write files of N bytes at most, and saves a note that is larger
@main struct Worker {
    static let engines: [any PersistentStore.Type] = [BinaryStore.self, XMLStore.self]

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4,
            let engine = engines.first(where: { $0.type.rawValue == arguments[2] })
        else { exit(2) }
        let worker = Worker(store: try open(engine, arguments[3]))
        let numbers = arguments.dropFirst(4).compactMap { Int($0) }
        switch (arguments[1], numbers.count) {
        case ("count", 1): try worker.count(numbers[0])
        case ("prepare", 0): try worker.prepare()
        case ("outgrow", 1): try worker.outgrow(numbers[0])
        default: exit(2)
        }
    }

    let store: any PersistentStore

    private static func open(
        _ engine: any PersistentStore.Type, _ path: String
    ) throws -> any PersistentStore {
        let counter = EntityDescription(
            "Counter", [.attribute("value", .integer64), .attribute("note", .string)])
        return try engine.open(
            OpenRequest(
                location: .file(URL(fileURLWithPath: path)),
                model: try ManagedObjectModel([counter]), createsMissing: false,
                options: [.timeout: 60]))
    }

    private func count(_ times: Int) throws {
        var (done, conflicts) = (0, 0)
        while done < times {
            let old = try row()
            let value = Int64(try layout.slot(named: "value").map(old.int64) ?? 0)
            let update = RowUpdate(
                row: try row(key: 1, version: old.version + 1, value: value + 1, note: nil),
                previousVersion: old.version, changedSlots: [0, 1])
            do throws(StoreError) {
                try save(SaveRequest(updated: [update]))
                done += 1
            } catch {
                guard case .rowConflicts = error else { throw error }
                conflicts += 1
            }
        }
        say("counted \(done), \(conflicts) conflicts")
    }

    private func prepare() throws {
        let transaction = try store.beginSave()
        let row = try row(key: 2, version: 1, value: 2, note: "prepared")
        try transaction.prepare(SaveRequest(inserted: RowBatch([row])))
        say("prepared")
        while true { pause() }
    }

    private func outgrow(_ byteCount: Int) throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        #if canImport(Darwin)
        guard setrlimit(RLIMIT_FSIZE, &limit) == 0 else { exit(3) }
        #else
        guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
            exit(3)
        }
        #endif
        let note = String(repeating: "n", count: 2 * byteCount)
        let row = try row(key: 2, version: 1, value: 2, note: note)
        do throws(StoreError) {
            try save(SaveRequest(inserted: RowBatch([row])))
            say("saved")
        } catch {
            say("refused: \(error)")
        }
    }

    // MARK: Rows

    private var layout: RowLayout {
        get throws {
            guard let entity = store.request.model.entity(named: "Counter") else { exit(3) }
            return store.request.layouts.layout(of: entity)
        }
    }

    private func row() throws -> Row {
        let number = try layout.entity.number
        let id = ObjectID(store: store.number, rootEntity: number, entity: number, key: 1)
        guard let row = try store.snapshot().rows(for: [id]).rows.first(where: { _ in true })
        else { exit(3) }
        return row
    }

    private func row(key: Int64, version: Int64, value: Int64, note: String?) throws -> Row {
        let layout = try layout
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            let isNote = property.name == "note"
            try writer.set(
                isNote ? note.map(Value.string) ?? .null : .integer(value), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    private func save(_ request: SaveRequest) throws(StoreError) {
        let transaction = try store.beginSave()
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    private func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
