import Cairn
import Foundation

/// A task that the harness gives to a process, as one line of JSON.
enum Assignment: Codable, Sendable {
    case write(WritingAssignment)
    case check(CheckingAssignment)
    case makeSamples(folder: String)
    case readDamaged(DamagedReading)
    case query(ExtremeQuery)
    case makeOld(MigrationMaking)
    case migrate(MigratingProgram)
    case useOld(OlderProgram)
    case checkMigration(MigrationCheck)
    case makeBank(BankSubject)
    case transfer(TransferProgram)
    case watchTotal(TotalWatch)
    case checkBank(BankCheck)
    case group(GroupingProgram)
    case checkGroup(GroupingCheck)
    case race(RacingTransfers)
    case checkRace(RaceCheck)
    case makeBackup(BackupSubject)
    case backUp(BackupProgram)
    case checkBackup(BackupCheck)
    case raceBackups(RacingBackups)

    init(line: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(line.utf8)) }

    var line: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    func run() throws {
        switch self {
        case .write(let writing): try Writer(writing).run()
        case .check(let checking): try Checker(checking).run()
        case .makeSamples(let folder): try DamagedReading.makeSamples(in: folder)
        case .readDamaged(let reading): try reading.run()
        case .query(let query): try query.run()
        case .makeOld(let making): try making.run()
        case .migrate(let program): try program.run()
        case .useOld(let program): try program.run()
        case .checkMigration(let check): try check.run()
        case .makeBank(let subject): try subject.make()
        case .transfer(let program): try program.run()
        case .watchTotal(let watch): try watch.run()
        case .checkBank(let check): try check.run()
        case .group(let program): try program.run()
        case .checkGroup(let check): try check.run()
        case .race(let program): try program.run()
        case .checkRace(let check): try check.run()
        case .makeBackup(let subject): try subject.make()
        case .backUp(let program): try program.run()
        case .checkBackup(let check): try check.run()
        case .raceBackups(let program): try program.run()
        }
    }
}

/// A store, and the workload that fills it.
struct Subject: Codable, Sendable {
    var engine: String
    var workload: String
    var seed: UInt64
    /// The folder that contains only the store's files.
    var folder: String
    /// Whether saves have names that the store records.
    var namesSaves = false

    /// Returns the name of the save that produces a state, or `nil` if saves have no names.
    func saveID(ofStep step: Int) -> SaveID? {
        guard namesSaves else { return nil }
        let digits = String(step, radix: 16)
        let text = "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count)
        return UUID(uuidString: text + digits).map { SaveID($0) }
    }

    var file: URL { URL(fileURLWithPath: folder + "/store") }

    func workloadType() throws -> any Workload.Type {
        guard let type = Workloads.named(workload) else {
            throw HarnessFailure("no workload “\(workload)”")
        }
        return type
    }

    /// Whether the store keeps a history of its saves. Every other seed has one.
    var tracksHistory: Bool { seed.isMultiple(of: 2) }

    /// Opens the store with a new coordinator.
    func coordinator(
        registry: StoreRegistry = Engines.registry, options: StoreOptions = [:]
    ) throws -> PersistentStoreCoordinator {
        var options = options
        if tracksHistory { options[.tracksHistory] = true }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try workloadType().model(), registry: registry)
        try coordinator.addPersistentStore(
            ofType: StoreType(engine), at: file, options: options)
        return coordinator
    }
}

extension ManagedObjectContext {
    func save(recordedAs id: SaveID?) throws(GraphError) {
        if let id { try save(named: id) } else { try save() }
    }
}

extension PersistentStoreCoordinator {
    func removeAll() throws(GraphError) {
        for store in persistentStores { try remove(store) }
    }
}

/// The line-based communication of a process with the harness that started it.
enum Conversation {
    /// Writes a line immediately, so that the last line is known even if the process is killed.
    static func say(_ line: String) {
        let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// Whether a line, or the end of the input, is available without waiting.
    static var hasLine: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    /// Waits for a line. Returns `nil` at the end of the input.
    ///
    /// Reads single bytes, because a process and its child read from the same pipe alternately.
    static func hear() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
