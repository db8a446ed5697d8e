import Cairn

/// Kills a writer of batches at every mutating call and within every write, and makes these calls fail.
struct BatchPart: Part {
    let name = "batches"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.acknowledgesEarly, .sqlite), (.acknowledgesEarly, .lmdb),
    ]

    private static let kinds: [(kind: Fault.Kind, stays: [Bool])] = [
        (.kill, [false]), (.tear, [false]), (.ioError, [false]), (.noSpace, [false, true]),
        (.short, [false]), (.syncError, [false]),
    ]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 60
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        var settings = settings
        settings.workload = Stock.name
        // The history is part of what must be whole.
        settings.seed &= ~1
        let calls = try lane.trace(engine, settings)
        return Self.kinds.flatMap { [settings] kind, stays in
            calls.indices.filter { kind.concerns(calls[$0]) }.flatMap { index in
                stays.map {
                    Trial.fault(Fault(kind: kind, at: index + 1, isSticky: $0), engine, settings)
                }
            }
        }
    }
}
