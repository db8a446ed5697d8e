import CairnLMDB
import CairnModel
import CairnStore
import Foundation
import StoreFileSupport

/// Reads a store whose numbers were set, one at a time, to those at the limits of their field.
///
/// Prints the name of each file before reading it, and the outcome afterwards. Memory and time are limited
/// for each file: exceeding a limit ends the process.
///
///     extremes PATH FIRST STEP    reads every STEPth file, starting with number FIRST
struct ExtremeReading {
    private let sample: [UInt8]
    private let file: URL
    private let model: ManagedObjectModel

    private static let pageByteCount = 4096
    private static let mostBytes: rlim_t = 1 << 30
    private static let mostSeconds: rlim_t = 5

    /// Reads the sample.
    ///
    /// - Parameter path: A sound store. Only copies of it are damaged.
    private init(_ path: String) throws {
        let location = StoreLocation.file(URL(fileURLWithPath: path))
        let description = try Missing.check(try LMDBStore.model(at: location), "a model")
        model = try ManagedObjectModel(description)
        sample = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        file = URL(fileURLWithPath: path + "-extreme")
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let first = Int(arguments[1]), let step = Int(arguments[2])
        else { throw WrongArguments(arguments) }
        try ExtremeReading(arguments[0]).read(from: first, step: step)
    }

    private func read(from first: Int, step: Int) throws {
        try ProcessBounds.limitMemory(toBytes: Self.mostBytes)
        let changes = self.changes()
        TestWorker.say("files \(changes.count)")
        for number in stride(from: first, to: changes.count, by: step) {
            TestWorker.say("begin \(number) \(changes[number].name)")
            try ProcessBounds.limitTime(Self.mostSeconds)
            var bytes = sample
            bytes.replaceSubrange(
                changes[number].offset..<changes[number].offset + changes[number].bytes.count,
                with: changes[number].bytes)
            try? FileManager.default.removeItem(atPath: file.path + "-lock")
            try Data(bytes).write(to: file)
            TestWorker.say("end \(number) \(read())")
        }
    }

    private func read() -> String {
        let location = StoreLocation.file(file)
        guard LMDBStore.recognizes(location) else { return "refused" }
        do {
            let store = try LMDBStore.open(
                OpenRequest(
                    location: location, model: model, isReadOnly: true, createsMissing: false,
                    options: [.mapByteCount: .integer(16 << 20)]))
            defer { try? store.close() }
            _ = try store.metadata()
            let snapshot = try store.snapshot()
            for entity in model.entities {
                _ = try snapshot.count(FetchPlan(entity: entity))
            }
            _ = try SampleModel.readAll(store)
            return try store.findDisagreements().isEmpty ? "same" : "disagrees"
        } catch {
            return error is StoreError ? "refused" : "threw \(error)"
        }
    }

    // MARK: Fields

    private struct Change {
        let name: String
        let offset: Int
        let bytes: [UInt8]
    }

    private struct Field {
        let name: String
        let offset: Int
        let byteCount: Int
    }

    private func changes() -> [Change] {
        let pages = sample.count / Self.pageByteCount
        let fields = (0..<pages).flatMap { $0 < 2 ? metaFields($0) : pageFields($0) }
        return fields.flatMap { field in
            ExtremeNumbers.littleEndian(byteCount: field.byteCount).compactMap { bytes in
                let old = sample[field.offset..<field.offset + field.byteCount]
                if old.elementsEqual(bytes) { return nil }
                let text = bytes.reversed().map { String($0, radix: 16) }.joined(separator: ".")
                return Change(name: "\(field.name)=\(text)", offset: field.offset, bytes: bytes)
            }
        }
    }

    /// Returns the fields of mdb.c's `MDB_page` and `MDB_meta`.
    private func metaFields(_ page: Int) -> [Field] {
        let start = page * Self.pageByteCount
        let own = [
            ("magic", 16, 4), ("version", 20, 4), ("address", 24, 8), ("mapsize", 32, 8),
            ("last_pg", 136, 8), ("txnid", 144, 8),
        ].map { Field(name: "meta.\($0.0)", offset: start + $0.1, byteCount: $0.2) }
        return headFields(page) + own + treeFields("meta.free", start + 40)
            + treeFields("meta.main", start + 88)
    }

    /// Returns the fields of mdb.c's `MDB_db`.
    private func treeFields(_ name: String, _ start: Int) -> [Field] {
        [
            ("pad", 0, 4), ("flags", 4, 2), ("depth", 6, 2), ("branch", 8, 8), ("leaf", 16, 8),
            ("overflow", 24, 8), ("entries", 32, 8), ("root", 40, 8),
        ].map { Field(name: "\(name).\($0.0)", offset: start + $0.1, byteCount: $0.2) }
    }

    private func headFields(_ page: Int) -> [Field] {
        [("pgno", 0, 8), ("pad", 8, 2), ("flags", 10, 2), ("lower", 12, 2), ("upper", 14, 2)].map {
            Field(
                name: "page\(page).\($0.0)", offset: page * Self.pageByteCount + $0.1,
                byteCount: $0.2)
        }
    }

    private func pageFields(_ page: Int) -> [Field] {
        let start = page * Self.pageByteCount
        let flags = number(at: start + 10)
        var fields = headFields(page)
        guard flags & 0x03 != 0, flags & 0x20 == 0 else { return fields }
        let count = (number(at: start + 12) - 16) / 2
        guard (1...1000).contains(count) else { return fields }
        for index in Set([0, count - 1]).sorted() {
            let node = start + number(at: start + 16 + 2 * index)
            guard node + 8 < sample.count else { continue }
            fields.append(
                Field(
                    name: "page\(page).pointer\(index)", offset: start + 16 + 2 * index,
                    byteCount: 2))
            fields += ["lo", "hi", "flags", "ksize"].enumerated().map {
                Field(
                    name: "page\(page).node\(index).\($1)", offset: node + 2 * $0, byteCount: 2)
            }
            // The flag F_SUBDATA alone marks a table of the main tree.
            let data = node + 8 + number(at: node + 6)
            if number(at: node + 4) == 0x02, data + 48 <= sample.count {
                fields += treeFields("page\(page).table\(index)", data)
            }
        }
        return fields
    }

    private func number(at offset: Int) -> Int {
        Int(sample[offset]) | Int(sample[offset + 1]) << 8
    }
}
