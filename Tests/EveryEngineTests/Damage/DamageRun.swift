import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

/// Runs worker processes that read damaged files of one subject.
struct DamageRun {
    /// The outcome for one file.
    struct Outcome {
        var number: Int
        var kind: FileDamage.Kind
        /// `refused`, `same`, `different` or `wrong`. `nil` if the file ended the process.
        var text: String?
        var end: WorkerProcess.End?
    }

    let subject: DamageSubject
    let seed: UInt64
    let samples: TemporaryFolder
    private let folder: TemporaryFolder

    /// The number of files. The default is 500, as reliability.md promises for CI.
    static var count: Int {
        500 * TestSetting.scale
    }

    /// The seed, which is the same for each run unless `CAIRN_SEED` is set.
    private static var seed: UInt64 {
        TestSetting.number("CAIRN_SEED") ?? 20_261_121
    }

    init(_ subject: DamageSubject) throws {
        self.subject = subject
        seed = Self.seed
        samples = try TemporaryFolder()
        folder = try TemporaryFolder()
        for subject in DamageSubject.allCases {
            let bytes = try subject.makeSample(in: folder.url)
            try Data(bytes).write(to: samples.file(subject.rawValue))
        }
        print("damage of \(subject.rawValue): seed \(seed)")
    }

    /// Reads the files in one process. Starts a new process after each file that ended a process.
    func run(_ numbers: Range<Int>) throws -> [Outcome] {
        var outcomes: [Outcome] = []
        var next = numbers.lowerBound
        while next < numbers.upperBound {
            let worker = try WorkerProcess(
                "damage", subject.rawValue, samples.url.path, "\(seed)", "\(next)",
                "\(numbers.upperBound - next)", folder.url.path)
            var begun: Outcome?
            while let line = worker.line() {
                let words = line.split(separator: " ").map(String.init)
                switch words.first {
                case "begin":
                    begun = Outcome(
                        number: try #require(Int(words[1])),
                        kind: try #require(FileDamage.Kind(rawValue: words[2])))
                case "end":
                    begun?.text = words[2]
                    if let ended = begun { outcomes.append(ended) }
                    begun = nil
                default:
                    #expect(line != "sound 0" || subject == .planted, "the sound one is not read")
                }
            }
            let end = worker.end()
            if var ended = begun {
                ended.end = end
                outcomes.append(ended)
            } else if end != .code(0) {
                Issue.record("\(subject.rawValue): the worker ended with \(end) before a file")
                return outcomes
            }
            next = (outcomes.last?.number ?? numbers.upperBound) + 1
        }
        return outcomes
    }

    /// Describes a file, and how to reproduce it.
    func name(_ outcome: Outcome) -> String {
        "\(subject.rawValue), file \(outcome.number) (\(outcome.kind.rawValue)), seed \(seed):"
            + " \(outcome.end.map { "\($0)" } ?? outcome.text ?? ""), kept at \(keep(outcome))"
    }

    /// Writes the file again to a path that outlives the test.
    private func keep(_ outcome: Outcome) -> String {
        let bytes = { (subject: DamageSubject) in
            (try? Array(Data(contentsOf: samples.file(subject.rawValue)))) ?? []
        }
        let damage = FileDamage(
            of: bytes(subject),
            others: DamageSubject.real.filter { $0.engine.type != subject.engine.type }.map(bytes),
            seed: seed, number: outcome.number)
        let file = FileManager.default.temporaryDirectory.appending(
            path: "cairn-damaged-\(subject.rawValue)-\(seed)-\(outcome.number)")
        try? Data(subject.delivered(damage.bytes)).write(to: file)
        return file.path
    }
}
