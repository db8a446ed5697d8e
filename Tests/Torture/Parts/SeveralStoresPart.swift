import Cairn

/// Runs a program that saves to several stores while another program fetches from all of them. Each trial
/// kills the first program at one of its mutating calls, or makes that call fail in one way.
struct SeveralStoresPart: Part {
    let name = "several-stores"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.commitsBeforeJournal, .sqlite), (.looksOnlyAtOpening, .sqlite),
        (.ignoresSaveNames, .sqlite),
    ]

    private static let kinds: [(kind: Fault.Kind, stays: [Bool])] = [
        (.kill, [false]), (.tear, [false]), (.noSpace, [false]), (.full, [true]),
        (.ioError, [false, true]), (.short, [false]), (.syncError, [false, true]),
    ]

    /// Returns the combinations of stores whose first store belongs to the engine.
    static func banks(_ engine: StoreType) -> [[StoreType]] {
        let types = Engines.types
        let index = types.firstIndex(of: engine) ?? 0
        let next = (1...2).map { types[(index + $0) % types.count] }
        let own: [[StoreType]] = engine == .sqlite ? [[.sqlite, .sqlite, .binary]] : []
        return [[engine, next[0]], [engine] + next] + own
    }

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 110
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let banks = Self.banks(engine)
        if settings.planted != nil, settings.point == nil {
            return try trials(banks[0], { [.taking($0)] }, settings, lane)
        }
        return try banks.flatMap { bank in
            try trials(bank, { _ in SaveTrial.Sequel.allCases }, settings, lane)
        }
    }

    private func trials(
        _ engines: [StoreType], _ sequels: (Int) -> [SaveTrial.Sequel], _ settings: Settings,
        _ lane: Lane
    ) throws -> [Trial] {
        let bank = try lane.bank(of: engines)
        return try SaveTrial.Phase.allCases.flatMap { phase in
            let calls = try lane.trace(bank, phase, settings)
            return Self.kinds.flatMap { kind, stays in
                calls.indices.filter { kind.concerns(calls[$0]) }.flatMap { index in
                    stays.flatMap { isSticky in
                        let fault = Fault(kind: kind, at: index + 1, isSticky: isSticky)
                        return sequels(index + (isSticky ? 2 : 0)).map { sequel in
                            SaveTrial(bank, phase, fault, sequel, settings.planted).trial
                        }
                    }
                }
            }
        }
    }
}
