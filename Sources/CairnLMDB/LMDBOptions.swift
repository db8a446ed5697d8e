import CairnStore

/// The settings of an LMDB store.
///
/// - `timeout`: how many seconds a save waits for other saves, a number of at least 0. Default: 5.
///   A process that may not write the store's lock file waits equally long to take a snapshot.
/// - `tracksHistory`: whether the store keeps a history of its saves from now on. Default: `false`.
/// - `LMDBDurability`: with `"full"`, the default, a completed save survives a power loss. With
///   `"relaxed"`, a power loss may undo the latest saves, each completely and the newest first. The
///   store remains consistent, and a crash of the process loses nothing.
/// - `LMDBMapByteCount`: how many bytes of the file to map initially, an integer of at least 1 MiB.
///   The map grows when it is full. The first store that opens the file in a process decides.
///   Default: 1 GiB of addresses, not of memory.
/// - `LMDBReaderCount`: how many snapshots all processes may hold at the same time, an integer from
///   1 to 65536. The first process that opens the file decides. Default: 512.
struct LMDBOptions: Sendable {
    static let all: Set<StoreOption> = [
        .timeout, .tracksHistory, .durability, .mapByteCount, .readerCount,
    ]

    /// How many tables may be added to a file after it is opened. Each of them costs 49 bytes of
    /// memory in each transaction.
    private static let usualTableCount = 256

    var busyTimeout = Duration.seconds(5)
    /// Whether a power loss may undo a completed save.
    var isRelaxed = false
    /// Whether the store keeps a history from now on.
    var tracksHistory = false
    var environment = LMDBEnvironment.Settings(
        mapByteCount: 1 << 30, readerCount: 512, tableCount: usualTableCount)

    init() {}

    init(_ options: StoreOptions) throws(StoreError) {
        try options.requireKnown(Self.all, by: "an LMDB store")
        busyTimeout = try options.timeout()
        tracksHistory = try options.tracksHistory()
        environment.readTimeout = busyTimeout
        for (option, value) in options.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            switch option {
            case .durability: isRelaxed = try Self.isRelaxed(value)
            case .mapByteCount:
                environment.mapByteCount = try Self.integer(value, option, 1 << 20...1 << 46)
            case .readerCount:
                environment.readerCount = try Self.integer(value, option, 1...65536)
            default: break
            }
        }
    }

    private static func isRelaxed(_ value: MetadataValue) throws(StoreError) -> Bool {
        switch value {
        case "full": return false
        case "relaxed": return true
        default: throw .invalidOption(.durability, detail: "its value must be “full” or “relaxed”")
        }
    }

    private static func integer(
        _ value: MetadataValue, _ option: StoreOption, _ range: ClosedRange<Int>
    ) throws(StoreError) -> Int {
        guard case .integer(let number) = value, let number = Int(exactly: number),
            range.contains(number)
        else {
            throw .invalidOption(
                option,
                detail:
                    "its value must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension StoreOption {
    /// For LMDB stores: whether a power loss may undo completed saves. With `"full"`, the default, it may not. With
    /// `"relaxed"`, it may undo the latest saves, each completely. A crash of the process loses
    /// nothing.
    public static let durability: StoreOption = "LMDBDurability"
    /// For LMDB stores: how many bytes of the file to map initially, an integer of at least 1 MiB. The map grows as
    /// needed. Default: 1 GiB of addresses. The first store that opens the file in a process
    /// decides.
    public static let mapByteCount: StoreOption = "LMDBMapByteCount"
    /// For LMDB stores: how many snapshots all processes together may hold, an integer from 1 to 65536. Default:
    /// 512. The first process that opens the file decides.
    public static let readerCount: StoreOption = "LMDBReaderCount"
}
