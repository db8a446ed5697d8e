import Cairn

/// Replaces, removes or links the file of a store that a writer has open, before each save.
struct ReplacedPart: Part {
    let name = "replaced"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.swallowsFailures, .binary), (.overwritesReplacement, .binary),
    ]

    /// What happens to the file. To add a deed, add a case here and implement it in ``Replacement``.
    enum Deed: String, CaseIterable {
        case removed, movedAway, folderMovedAway
        case replacedByOther, replacedByOwnCopy, replacedByText, hardLinked
    }

    static let saveCount = 5

    func trialCount(_ settings: Settings) -> Int? { nil }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        Deed.allCases.flatMap { deed in
            (2...Self.saveCount).map {
                Trial.replacement(deed, .before(save: $0), nil, engine, settings)
            }
        }
    }
}

/// Does the same at each mutating call, while the writer is stopped.
struct ReplacedWithinPart: Part {
    let name = "replaced-within"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.swallowsFailures, .binary), (.renamesBlindly, .binary),
    ]

    /// What happens at a later call to a writer whose file was replaced.
    enum Sequel: CustomStringConvertible {
        /// The file is replaced once more.
        case again(calls: Int)
        case killed(calls: Int)

        static let all: [Sequel] = [.again(calls: 1)] + (1...4).map { .killed(calls: $0) }

        /// The number of calls after the one at which the file was replaced.
        var calls: Int {
            switch self {
            case .again(let calls), .killed(let calls): calls
            }
        }

        var description: String {
            switch self {
            case .again(let calls): "+again-\(calls)"
            case .killed(let calls): "+killed-\(calls)"
            }
        }
    }

    func trialCount(_ settings: Settings) -> Int? { settings.isLong ? nil : 60 }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let calls = try numbers(
            of: lane.trace(engine, settings, saveCount: ReplacedPart.saveCount), settings)
        // An engine that writes into its file never exchanges files, so there is nothing to restore.
        let sequels: [Sequel] = Engines.typesOfWholeFiles.contains(engine) ? Sequel.all : []
        return calls.flatMap { call in
            ReplacedPart.Deed.allCases.map {
                Trial.replacement($0, .at(call: call), nil, engine, settings)
            }
                + sequels.map {
                    Trial.replacement(.replacedByOther, .at(call: call), $0, engine, settings)
                }
        }
    }

    /// Returns the numbers of the calls at which the file is replaced. The short form includes all calls that
    /// change names, so that the file is replaced right before them, and some of the other calls.
    private func numbers(of calls: [TracedCall], _ settings: Settings) -> [Int] {
        // An engine with a planted defect makes more calls. Trials at these calls must also be found by name.
        if settings.point != nil { return Array(1...2 * calls.count) }
        let numbers = Array(1...calls.count)
        if settings.isLong { return numbers }
        return numbers.filter { calls[$0 - 1].name == "rename" || $0.isMultiple(of: 5) }
    }
}

extension Trial {
    fileprivate static func replacement(
        _ deed: ReplacedPart.Deed, _ moment: Replacement.Moment,
        _ sequel: ReplacedWithinPart.Sequel?, _ engine: StoreType, _ settings: Settings
    ) -> Trial {
        let sequelName = sequel.map { "\($0)" } ?? ""
        return Trial(name: "\(deed.rawValue)@\(moment)\(sequelName)") { lane in
            let folder = try lane.newFolder()
            defer { lane.remove(folder) }
            var trial = try Replacement(
                deed, moment, sequel, engine, settings, lane, folder: folder)
            return try trial.run()
        }
    }
}
