import Cairn

/// Cuts the power at every mutating call of a program that saves to several stores, on file systems mounted
/// for this purpose.
struct PowerCutPart: Part {
    let name = "power-cut"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [(.syncsNoJournal, .sqlite)]

    func obstacle(_ settings: Settings) -> String? {
        LoopDisk.usable.isEmpty
            ? "no file system can be made, mounted and cut here (root and loop devices are needed)"
            : nil
    }

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 20
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let usable = LoopDisk.usable
        let isShort = !settings.isLong && settings.point == nil
        let fileSystems = isShort ? Array(usable.prefix(1)) : usable
        let banks = SeveralStoresPart.banks(engine)
        return try (isShort ? Array(banks.prefix(1)) : banks).flatMap { engines in
            let bank = try lane.bank(of: engines)
            let calls = try lane.trace(bank, .saving, settings)
            // The calls between the first and the last commit come first.
            let middle = TracedCall.lastCommit(in: calls) ?? 0
            let points = calls.indices.sorted { abs($0 - middle) < abs($1 - middle) }
            return points.flatMap { index in
                fileSystems.map { fileSystem in
                    SaveTrial(
                        bank, .saving, Fault(kind: .cut, at: index + 1),
                        .taking(index), settings.planted, on: fileSystem
                    ).trial
                }
            }
        }
    }
}
