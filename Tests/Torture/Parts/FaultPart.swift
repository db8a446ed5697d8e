import Cairn

/// Makes every mutating call fail in every way, once or from then on.
struct FaultPart: Part {
    let name = "faults"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.swallowsFailures, .sqlite), (.savesHalf, .xml), (.staysBroken, .binary),
    ]

    private static let kinds: [Fault.Kind] = [.ioError, .noSpace, .short, .syncError]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 40
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let calls = try lane.trace(engine, settings)
        return Self.kinds.flatMap { kind in
            calls.indices.filter { kind.concerns(calls[$0]) }.flatMap { index in
                [false, true].map { isSticky in
                    Trial.fault(
                        Fault(kind: kind, at: index + 1, isSticky: isSticky), engine, settings)
                }
            }
        }
    }
}
