import Cairn

/// Truncates, changes and removes the files of a save that was interrupted between two commits.
struct JournalPart: Part {
    let name = "journals"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [(.ignoresSaveNames, .sqlite)]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 24
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let banks = SeveralStoresPart.banks(engine)
        return (settings.isLong ? banks : Array(banks.prefix(1))).flatMap { engines in
            JournalDeed.all(step: settings.isLong ? 5 : 50).flatMap { deed in
                [false, true].map { isReversed in
                    let name = BankSample.name(of: engines)
                    return Trial(name: "\(name) \(deed)\(isReversed ? " reversed" : "")") { lane in
                        try Self.run(
                            deed, try lane.bank(of: engines), isReversed, settings.planted, lane)
                    }
                }
            }
        }
    }

    private static func run(
        _ deed: JournalDeed, _ bank: BankSample, _ isReversed: Bool, _ planted: PlantedDefect?,
        _ lane: Lane
    ) throws -> Verdict {
        let folder = try lane.newFolder()
        defer { lane.remove(folder) }
        let subject = try bank.copy(to: folder)
        try lane.interruptSave(of: subject)
        let moved = try deed.perform(in: folder)
        let places = subject.files.indices.filter { subject.files[$0].path != moved }
        var check = BankCheck(
            subject: subject, order: isReversed ? places.reversed() : places, acknowledged: 1,
            begun: 1, planted: planted, finishes: false)
        var verdict = Verdict()
        let lines = try lane.runSound(.checkBank(check))
        let isDoubted = lines.count == 1 && (lines[0].hasPrefix("doubt ") || lines[0].isOfLater)
        if deed.makesDoubtful, !isDoubted {
            verdict.problems.append("not in doubt: \(lines)")
        } else if !isDoubted, lines != ["state 1"] {
            verdict.problems += lines
        }
        guard isDoubted else { return verdict }
        if let moved {
            // The save is completed as if nothing had happened.
            try JournalDeed.undoMove(of: moved)
            (check.order, check.finishes) = (Array(subject.engines.indices), true)
        } else {
            check.overrides = true
        }
        verdict.problems += try lane.runSound(.checkBank(check)).filter {
            !$0.hasPrefix("state ") && !$0.isOfLater
        }
        return verdict
    }
}

extension String {
    /// Whether a check reports files of a later version, which a changed byte may cause.
    fileprivate var isOfLater: Bool {
        contains("an unfinished save over several stores in format version")
    }
}
