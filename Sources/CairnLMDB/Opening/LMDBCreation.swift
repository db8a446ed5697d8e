import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// Creates a new store, first in a temporary folder, so that a partial store is never visible.
struct LMDBCreation {
    private let target: URL
    private let request: OpenRequest
    private let options: LMDBOptions

    init(at target: URL, _ request: OpenRequest, _ options: LMDBOptions) {
        self.target = target
        self.request = request
        self.options = options
    }

    /// Creates the store. If another process has created it meanwhile, that store is kept.
    func create() throws(StoreError) {
        let folder = try makeFolder()
        defer { Self.remove(folder) }
        let file = folder.appendingPathComponent("data")
        try write(file)
        try publish(file)
    }

    private func write(_ file: URL) throws(StoreError) {
        let location = StoreLocation.file(file)
        var settings = options.environment
        // Each property needs at most two tables, and each constraint needs one.
        settings.tableCount = request.model.entities.reduce(settings.tableCount) {
            $0 + 2 * $1.ownProperties.count + $1.description.uniquenessConstraints.count + 1
        }
        let environment = try LMDBEnvironment(
            path: file.path, location: location, settings: settings, isReadOnly: false)
        defer { environment.close() }
        let transaction = try environment.beginWrite(isRelaxed: false)
        defer { transaction.abort() }
        let tables = try StoreTablesBuilder(request, transaction, makes: .all).build()
        try StoreRecord(transaction: transaction, table: tables.metadata)
            .create(request.model, identifier: request.identifierForNewStore)
        try transaction.commit()
        environment.extendFile()
    }

    // MARK: Files

    private static let mark = ".creating-"

    private var parent: URL { target.deletingLastPathComponent() }

    private func makeFolder() throws(StoreError) -> URL {
        let stem = TemporaryName.stem(of: target.lastPathComponent)
        let name = ".\(stem)\(Self.mark)\(getpid())-XXXXXX"
        let path = parent.appendingPathComponent(name).path
        var template = Array(path.utf8CString)
        guard mkdtemp(&template) != nil else { throw failure("mkdtemp", path) }
        return URL(
            fileURLWithPath: String(
                decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// Gives the file its name. If another process has created a store meanwhile, that store is
    /// kept.
    private func publish(_ file: URL) throws(StoreError) {
        do {
            _ = try PosixFile.publish(file.path, as: target.path)
            try PosixFile.syncFolder(parent.path)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes the folders of processes that were killed while they created the store at this path.
    /// The path must not contain symbolic links.
    static func removeLeftovers(of path: String) {
        let (parent, fileName) = path.pathParts
        let prefix = ".\(TemporaryName.stem(of: fileName))\(mark)"
        let leftovers = PosixFile.leftovers(in: parent, prefix: prefix) { suffix in
            guard let process = Int32(suffix.prefix { $0 != "-" }) else { return false }
            return kill(process, 0) != 0 && errno == ESRCH
        }
        for path in leftovers { remove(URL(fileURLWithPath: path)) }
    }

    private static func remove(_ folder: URL) {
        try? FileManager.default.removeItem(at: folder)
    }

    private func failure(_ operation: String, _ path: String) -> StoreError {
        .fileFailure(FileFailure(operation: operation, path: path, code: errno))
    }
}
