import Cairn
import CairnSaveJournal
import CairnStore
import Foundation

/// The report of `cairn store info` on one store. Its JSON form is stable.
///
/// Entities have the names that the store records. After a migration that renamed an entity, the report has
/// its count under the old name and its hash under the new one. Counts and hashes that do not exist are
/// absent.
struct StoreReport: Encodable {
    struct EntityReport: Encodable {
        var count: Int?
        var versionHash: String?
    }

    /// An unfinished save over several stores.
    struct PendingSave: Encodable {
        struct Store: Encodable {
            var path: String
            var type: String
            var identifier: String
        }

        var id: String?
        var journal: String?
        var stores: [Store] = []
        /// The reason that the files of the save could not be read.
        var problem: String?
    }

    let type: String
    let identifier: String
    let entities: [String: EntityReport]
    /// The pending save. Absent if no save is pending.
    let pendingSave: PendingSave?
    /// The parts of the store with values that the model does not explain. Absent if there are none, or if
    /// the store cannot be opened.
    let unexplainedValues: [String]?

    let location: StoreLocation
    private let frameworkVersion: Int?
    private let byteCount: Int?

    private enum CodingKeys: CodingKey {
        case type, identifier, entities, pendingSave, unexplainedValues
    }

    /// - Throws: The same errors as ``ToolStore/entityCounts()``.
    init(_ store: ToolStore) throws {
        let counts = try store.entityCounts()
        type = store.metadata.type.rawValue
        identifier = store.metadata.identifier
        location = store.location
        frameworkVersion = store.metadata.frameworkVersion
        byteCount = try store.byteCount()
        var entities: [String: EntityReport] = [:]
        for (name, count) in counts { entities[name, default: EntityReport()].count = count }
        for (name, hash) in store.metadata.entityVersionHashes {
            entities[name, default: EntityReport()].versionHash = hash.description
        }
        self.entities = entities
        pendingSave = PendingSave(of: store)
        unexplainedValues = Self.unexplainedValues(of: store)
    }

    private static func unexplainedValues(of tool: ToolStore) -> [String]? {
        // An engine that writes its whole file refuses a file with such values.
        guard !tool.engine.capabilities.rewritesWholeFile,
            let store = try? tool.open(with: tool.model()) as? any SelfCheckingStore
        else { return nil }
        defer { try? store.close() }
        let found = (try? store.findUnexplainedValues()) ?? []
        return found.isEmpty ? nil : found.map(\.description)
    }

    /// The lines above the table of entities.
    var lines: [String] {
        var lines = ["type        \(type)", "identifier  \(identifier)"]
        if let frameworkVersion { lines.append("framework   \(frameworkVersion)") }
        if let byteCount {
            lines.append("size        \(Quantity.bytes(byteCount)) (\(byteCount) bytes)")
        }
        lines += (unexplainedValues ?? []).map { "unexplained \($0)" }
        guard let pendingSave else { return lines }
        return lines + pendingSave.lines(of: location).map { "pending     \($0)" }
    }
}

extension StoreReport.PendingSave {
    /// Returns `nil` if no save is pending.
    fileprivate init?(of store: ToolStore) {
        do {
            guard let report = try store.pendingSave() else { return nil }
            id = report.id?.description
            journal = report.journalPath
            stores = report.membersByPath.map { member in
                Store(
                    path: member.location.fileURL?.path ?? member.location.description,
                    type: member.type.rawValue,
                    identifier: member.identifier)
            }
        } catch {
            problem = error.description
        }
    }

    fileprivate func lines(of location: StoreLocation) -> [String] {
        if let problem { return [problem] }
        return ["a save over several stores is not finished\(id.map { ": \($0)" } ?? "")"]
            + stores.map { "the save includes \(VisibleText.line($0.path)) (\($0.type))" }
            + ["to finish it, run: \(ToolFailure.recoverCommand([location.description]))"]
    }
}

/// The report of `cairn store info` on several stores. Its JSON form is stable.
struct StoreGroupReport: Encodable {
    /// The reports on the stores, in the order of the stores' numbers, which start at 1.
    let stores: [StoreReport]
    /// The counts of all stores together. The version hash of an entity is absent if the stores have
    /// different hashes.
    let entities: [String: StoreReport.EntityReport]

    init(_ stores: [StoreReport]) {
        self.stores = stores
        var entities: [String: StoreReport.EntityReport] = [:]
        for name in Set(stores.flatMap(\.entities.keys)) {
            let found = stores.compactMap { $0.entities[name] }
            let counts = found.compactMap(\.count)
            let hashes = Set(found.compactMap(\.versionHash))
            entities[name] = StoreReport.EntityReport(
                count: counts.isEmpty ? nil : counts.reduce(0, +),
                versionHash: hashes.count == 1 ? hashes.first : nil)
        }
        self.entities = entities
    }
}
