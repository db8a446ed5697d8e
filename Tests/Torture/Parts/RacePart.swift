import Cairn
import CairnTestSupport
import Foundation

/// Several programs simultaneously move amounts between the same stores. In some trials, one of them is
/// killed.
struct RacePart: Part {
    let name = "transfers"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [(.readsHalfSaves, .sqlite)]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 3
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let banks = SeveralStoresPart.banks(engine)
        let count = settings.isLong ? 20 : 10
        return (settings.isLong ? banks : Array(banks.prefix(1))).flatMap { engines in
            let name = BankSample.name(of: engines)
            return [
                Trial(name: "\(name) together") { lane in
                    try Self.run(
                        lane, engines, seconds: settings.isLong ? 60 : 2, kill: nil,
                        settings.planted)
                }
            ]
                + (0..<count).map { number in
                    Trial(name: "\(name) killed-\(number)") { lane in
                        var random = SeededRandom(seed: settings.seed &+ UInt64(number))
                        let delay = Int.random(in: 20_000...400_000, using: &random)
                        return try Self.run(
                            lane, engines, seconds: 1, kill: UInt32(delay), settings.planted)
                    }
                }
        }
    }

    private static func run(
        _ lane: Lane, _ engines: [StoreType], seconds: Double, kill delay: UInt32?,
        _ planted: PlantedDefect?
    ) throws -> Verdict {
        let folder = try lane.newFolder()
        defer { lane.remove(folder) }
        let subject = try lane.bank(of: engines).copy(to: folder)
        let programs = (1...(delay == nil ? 2 : 3)).map {
            Assignment.race(
                RacingTransfers(subject: subject, number: $0, seconds: seconds, planted: planted))
        }
        let dialogues = try lane.startTogether(programs)
        if let delay {
            usleep(delay)
            dialogues[0].killNow()
        }
        var verdict = Verdict()
        var check = RaceCheck(subject: subject, acknowledged: [], open: [])
        for (index, dialogue) in dialogues.enumerated() {
            let isKilled = delay != nil && index == 0
            try note(dialogue, isKilled: isKilled, &check, &verdict)
        }
        verdict.problems += try lane.runSound(.checkRace(check)).filter { !$0.hasPrefix("kept ") }
        verdict.savesChecked = check.acknowledged.count
        return verdict
    }

    private static func note(
        _ dialogue: Dialogue, isKilled: Bool, _ check: inout RaceCheck, _ verdict: inout Verdict
    ) throws {
        var begun: Int?
        while let line = try dialogue.next() {
            let words = line.split(separator: " ")
            let number = words.count > 1 ? Int(words[1]) : nil
            switch words.first {
            case "began": begun = number
            case "saved":
                if let number { check.acknowledged.append(number) }
                begun = nil
            case "conflicts", "longest": break
            default: verdict.problems.append(line)
            }
        }
        if let begun { check.open.append(begun) }
        if dialogue.end != (isKilled ? "signal 9" : "code 0") {
            verdict.problems.append("a program ended with \(dialogue.end)")
        }
    }
}
