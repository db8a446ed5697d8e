import Cairn

/// Kills a writer at every mutating call, and within every write.
struct KillPart: Part {
    let name = "kill"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.acknowledgesEarly, .sqlite), (.commitsTwice, .binary), (.writesInPlace, .binary),
    ]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 110
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let calls = try lane.trace(engine, settings)
        return [Fault.Kind.kill, .tear].flatMap { kind in
            calls.indices.filter { kind.concerns(calls[$0]) }.map {
                Trial.fault(Fault(kind: kind, at: $0 + 1), engine, settings)
            }
        }
    }
}

extension Trial {
    /// Returns a trial in which a writer of the standard workload meets one fault.
    static func fault(_ fault: Fault, _ engine: StoreType, _ settings: Settings) -> Trial {
        Trial(name: "\(fault)") { lane in
            let folder = try lane.newFolder()
            defer { lane.remove(folder) }
            var subject = settings.subject(engine, folder)
            // Names the saves at every second point, so that saves without names are tested as well.
            subject.namesSaves = try fault.at.isMultiple(of: 2) && !subject.workloadType().editsSave
            var assignment = WritingAssignment.standard(subject, planted: settings.planted)
            assignment.fault = fault
            var trial = WriterTrial(subject, lane)
            return try trial.run(assignment)
        }
    }
}
