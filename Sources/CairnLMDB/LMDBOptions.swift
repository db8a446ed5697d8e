import CairnStore

/// The settings that an LMDB store takes.
///
/// - `timeout`: seconds that a save waits while others save; a number from 0. Default: 5. A process
///   that may not write the store's lock file waits as long with taking a snapshot.
/// - `LMDBDurability`: `"full"` (default): a save that returned survives a power cut. `"relaxed"`:
///   a power cut may undo the last saves, each one wholly and the newest first; what is left is
///   consistent, and a process that dies loses nothing.
/// - `LMDBMapByteCount`: how many bytes of the file to map at first, an integer from 1 MiB; the
///   map grows when it is full. Counts for the first to open the file in a process. Default: 1 GiB
///   of addresses, not of memory.
/// - `LMDBReaderCount`: how many snapshots all processes may hold at once, an integer from 1 to
///   65536. Counts for the first to open the file. Default: 512.
struct LMDBOptions: Sendable {
    static let durability: StoreOption = "LMDBDurability"
    static let mapByteCount: StoreOption = "LMDBMapByteCount"
    static let readerCount: StoreOption = "LMDBReaderCount"
    static let all: Set<StoreOption> = [.timeout, durability, mapByteCount, readerCount]

    /// How many tables a file may get beside those that it has when it is opened. Each transaction
    /// costs 49 bytes of memory for each of these.
    private static let usualTableCount = 256

    var busyTimeout = Duration.seconds(5)
    /// Whether a power cut may undo a save that returned.
    var isRelaxed = false
    var environment = LMDBEnvironment.Settings(
        mapByteCount: 1 << 30, readerCount: 512, tableCount: usualTableCount)

    init() {}

    /// - Throws: `.invalidOption`.
    init(_ options: StoreOptions) throws(StoreError) {
        try options.requireKnown(Self.all, by: "an LMDB store")
        busyTimeout = try options.timeout()
        environment.readTimeout = busyTimeout
        for (option, value) in options.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            switch option {
            case Self.durability: isRelaxed = try Self.isRelaxed(value)
            case Self.mapByteCount:
                environment.mapByteCount = try Self.integer(value, option, 1 << 20...1 << 46)
            case Self.readerCount:
                environment.readerCount = try Self.integer(value, option, 1...65536)
            default: break
            }
        }
    }

    private static func isRelaxed(_ value: MetadataValue) throws(StoreError) -> Bool {
        switch value {
        case "full": return false
        case "relaxed": return true
        default: throw .invalidOption(durability, detail: "it is “full” or “relaxed”")
        }
    }

    private static func integer(
        _ value: MetadataValue, _ option: StoreOption, _ range: ClosedRange<Int>
    ) throws(StoreError) -> Int {
        guard case .integer(let number) = value, let number = Int(exactly: number),
            range.contains(number)
        else {
            throw .invalidOption(
                option, detail: "it is an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
