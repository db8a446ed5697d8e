import Cairn

/// Runs a program that migrates old stores, and kills it at every mutating call, or makes that call fail in
/// every way.
struct MigrationPart: Part {
    let name = "migration"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.swapsInTwoSteps, .binary), (.runsCodeLate, .binary),
    ]

    private static let kinds: [(kind: Fault.Kind, stays: [Bool])] = [
        (.kill, [false]), (.tear, [false]), (.noSpace, [false]), (.full, [true]),
        (.ioError, [false, true]), (.short, [false]), (.syncError, [false, true]),
    ]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 12
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let samples = try lane.migrationSamples(of: engine).filter { sample in
            settings.point?.hasPrefix(sample.name + " ") ?? true
        }
        return try samples.flatMap { sample in
            let calls = try lane.trace(sample, settings)
            return Self.kinds.flatMap { kind, stays in
                calls.indices.filter { kind.concerns(calls[$0]) }.flatMap { index in
                    stays.map { isSticky in
                        let fault = Fault(kind: kind, at: index + 1, isSticky: isSticky)
                        return MigrationTrial(sample, fault, calls, settings.planted).trial
                    }
                }
            }
        }
    }
}

extension Lane {
    /// Runs a migration without a fault, checks it, and returns its mutating calls.
    private func tracedCalls(
        _ sample: MigrationSample, _ settings: Settings, in folder: String
    ) throws -> [TracedCall] {
        var program = MigratingProgram(subject: try sample.copy(to: folder))
        program.planted = settings.planted
        program.trace = self.folder + "/trace"
        let dialogue = try startFaulty(.migrate(program))
        var said: [String] = []
        while let line = try dialogue.next() { said.append(line) }
        let count = sample.change.fileNames.count
        guard said.contains("opened \(count)") || settings.planted != nil else {
            throw HarnessFailure("the migration \(sample.name) itself: \(said)")
        }
        return try TracedCall.all(inFile: self.folder + "/trace")
    }

    fileprivate func trace(
        _ sample: MigrationSample, _ settings: Settings
    ) throws -> [TracedCall] {
        let folder = try newFolder("traced")
        defer { remove(folder) }
        return try tracedCalls(sample, settings, in: folder)
    }
}
