import Cairn
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

/// Real stores are migrated from the version with which they were written to the newest version. Their
/// contents are compared with plain SQL.
@Suite(.enabled(if: Corpus.isThere)) struct `Migrating real stores` {
    /// A store, and the model file of which one version fits the store.
    struct Candidate: Sendable, CustomTestStringConvertible {
        let path: String
        let model: URL
        /// The version with which the store was written.
        let version: String
        let newest: String

        var testDescription: String { "\(path): \(version) → \(newest)" }
    }

    private static let candidates: [Candidate] = Corpus.storePaths.compactMap { path in
        let repository = path.split(separator: "/").prefix(2).joined(separator: "/")
        let start = Corpus.root.deletingLastPathComponent().appending(path: repository).path
        guard let hashes = Corpus.stores[path]?.hashes, !hashes.isEmpty else { return nil }
        let models = Corpus.all { url in
            url.path.hasPrefix(start + "/")
                && ["xcdatamodeld", "momd"].contains(url.pathExtension)
        }
        for location in models {
            guard let model = try? VersionedModel(contentsOf: location), model.names.count > 1,
                let newest = model.currentName ?? model.names.last,
                let version = model.names.last(where: { name in
                    let own = model.versions[name]?.entityVersionHashes.mapValues(\.description)
                    return own == hashes
                }), version != newest
            else { continue }
            return Candidate(path: path, model: location, version: version, newest: newest)
        }
        return nil
    }

    /// Returns the folders with mapping models in a store's repository.
    private func mappingFolders(_ candidate: Candidate) -> [URL] {
        let repository = candidate.path.split(separator: "/").prefix(2).joined(separator: "/")
        let start = Corpus.root.deletingLastPathComponent().appending(path: repository).path
        let mappings = Corpus.all { url in
            url.path.hasPrefix(start + "/")
                && ["cdm", "xcmappingmodel"].contains(url.pathExtension)
        }
        return Set(mappings.map { $0.deletingLastPathComponent() }).sorted { $0.path < $1.path }
    }

    /// Two relationships without an inverse become each other's inverse, as the app's own test demands.
    @Test func `joins two relationships that have no destinations`() throws {
        let repository = Corpus.root.deletingLastPathComponent()
            .appending(path: "corpus-more/Karim-ezzedine__CartKit")
        let path =
            "corpus-more/Karim-ezzedine__CartKit/Tests/CartKitStorageCoreDataTests/LegacyCoreData"
            + "/CartStorage_v1.sqlite"
        guard FileManager.default.fileExists(atPath: repository.path) else { return }
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)
        let model = repository.appending(
            path: "Sources/CartKitStorageCoreData/Resources/CartStorage.momd")

        let run = try ToolRun(["store", "migrate", store.path, "--to", model.path])
        let verify = try ToolRun(["store", "verify", store.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(verify.exitCode == 0, "\(verify.text)\(verify.errorText)")
    }

    @Test func `has enough candidates`() {
        print("\(Self.candidates.count) real stores of versions that are not the newest")
        #expect(Self.candidates.count > 3)
    }

    @Test(arguments: candidates, [true, false])
    func `succeeds, or is refused with reasons`(
        _ candidate: Candidate, _ knowsMappings: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let url = try Corpus.copy(candidate.path, into: folder.url)
        let model = try VersionedModel(contentsOf: candidate.model)
        let old = try #require(model.versions[candidate.version])
        let new = try #require(model.versions[candidate.newest])
        let history = try ModelHistory(
            contentsOf: candidate.model,
            mappingModelsIn: knowsMappings ? mappingFolders(candidate) : [])
        // The mappings of some apps change values. `MappedRealStoresTests` executes these.
        if knowsMappings, !history.mappings.isEmpty { return }
        let manager = MigrationManager(destinationModel: new, history: history)
        let before = try StoreColumns(url, old).values()
        // The migration may have to refuse, for example because of a new required relationship. A mapping
        // model may also exist for versions in between.
        let store = RealStore(url)
        let problems = try store.problems()

        do throws(GraphError) {
            try manager.migrateStore(at: url, ofType: .sqlite)
        } catch {
            let isExplained =
                switch error {
                case .store(.migrationRefused(_, let findings)): !findings.isEmpty
                default: false
                }
            #expect(isExplained, "\(error)")
            #expect(try StoreColumns(url, old).values() == before)
            return
        }

        let after = try StoreColumns(url, new).values()
        let versions = model.names.drop { $0 != candidate.version }.compactMap {
            model.versions[$0]
        }
        let compared = try compare(before, after, through: versions)
        #expect(compared > 0)
        #expect(try RealStore(url).problems() == problems)
        if Corpus.wholeStorePaths.contains(candidate.path) {
            #expect(try CoreDataStoreCheck(sql: PlainSQL(url), model: new).problems() == [])
        }
    }

    @Test(arguments: Corpus.storePathsWithoutModel)
    func `is refused for a store without a model and without its version`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let url = try Corpus.copy(path, into: folder.url)
        let bytes = try Data(contentsOf: url)
        let other = try ManagedObjectModel([EntityDescription("Other")])

        let error = #expect(throws: GraphError.self) {
            try MigrationManager(destinationModel: other).migrateStore(at: url, ofType: .sqlite)
        }

        guard case .store(.sourceModelMissing)? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect((error as NSError?)?.code == 134_130)
        #expect(try Data(contentsOf: url) == bytes)
    }

    /// Returns the attribute of the first version whose values an attribute of the last version has, or `nil`
    /// if one of the versions does not continue it. A version in between may have no such entity.
    private func origin(
        of attribute: Attribute, of entity: Entity, through versions: [ManagedObjectModel]
    ) -> (attribute: Attribute, entity: Entity)? {
        var found = (attribute: attribute, entity: entity)
        for (old, new) in zip(versions, versions.dropFirst()).reversed() {
            let matching = ModelCorrespondence(from: old, to: new)
            guard
                case .attribute(let earlier)? = matching.oldProperty(
                    named: found.attribute.name, of: found.entity),
                earlier.type == attribute.type, let source = matching.oldEntity(of: found.entity)
            else { return nil }
            found = (earlier, source)
        }
        return found
    }

    /// Compares the values before and after the migration, for every attribute whose column has the standard
    /// name.
    ///
    /// - Returns: The number of columns compared.
    private func compare(
        _ before: [String: [Int64: PlainSQL.Cell]], _ after: [String: [Int64: PlainSQL.Cell]],
        through versions: [ManagedObjectModel]
    ) throws -> Int {
        var compared = 0
        for entity in versions.last?.entities ?? [] {
            for attribute in entity.attributes where !attribute.isTransient && !attribute.isDerived
            {
                guard let (earlier, source) = origin(of: attribute, of: entity, through: versions),
                    let was = before["\(source.name).\(earlier.name)"],
                    let became = after["\(entity.name).\(attribute.name)"]
                else { continue }
                compared += 1
                for (key, value) in was where became[key] != value {
                    let isFilled = value == .null && earlier.isOptional && !attribute.isOptional
                    #expect(isFilled, "\(entity.name).\(attribute.name) of \(key)")
                }
                #expect(became.count == was.count)
            }
        }
        return compared
    }
}

/// The values of a SQLite store by column, read with plain SQL.
private struct StoreColumns {
    private let sql: PlainSQL
    private let model: ManagedObjectModel

    init(_ url: URL, _ model: ManagedObjectModel) throws {
        sql = try PlainSQL(url)
        self.model = model
    }

    /// Returns the value of each attribute by key, under the names of the entity and the attribute. Omits
    /// attributes whose columns do not have the standard name.
    func values() throws -> [String: [Int64: PlainSQL.Cell]] {
        let names = try sql.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
        let numbers = Dictionary(
            names.compactMap { row in
                row[0].text.flatMap { name in row[1].integer.map { (name, $0) } }
            },
            uniquingKeysWith: { first, _ in first })
        var values: [String: [Int64: PlainSQL.Cell]] = [:]
        for entity in model.entities {
            guard let number = numbers[entity.name] else { continue }
            let table = "Z" + entity.rootEntity.name.uppercased()
            let columns = try sql.rows("PRAGMA table_info(\"\(table)\")").compactMap { $0[1].text }
            for attribute in entity.attributes {
                let column = "Z" + attribute.name.uppercased()
                // If a column with a number after the name exists, the columns may belong to different
                // subentities.
                guard columns.contains(column), !columns.contains(column + "1") else { continue }
                let rows = try sql.rows(
                    "SELECT Z_PK, \"\(column)\" FROM \"\(table)\" WHERE Z_ENT = \(number)")
                values["\(entity.name).\(attribute.name)"] = Dictionary(
                    rows.compactMap { row in row[0].integer.map { ($0, row[1]) } },
                    uniquingKeysWith: { first, _ in first })
            }
        }
        return values
    }
}
