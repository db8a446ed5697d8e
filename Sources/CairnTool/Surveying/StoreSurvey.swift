import Cairn
import CairnStore
import Foundation

/// The results of examining a whole store: its metadata, its model, the numbers of its objects, the results
/// of a check, and a few objects.
///
/// For a store that is damaged or has no model, the survey contains everything that could be found out.
struct StoreSurvey {
    /// A file or folder of the store.
    struct File {
        let name: String
        let byteCount: Int
    }

    /// The source of the model.
    enum ModelOrigin {
        case store, argument
        /// The model was inferred from the content of the store, which does not contain a model.
        case inferred
    }

    /// The result of checking references, inverses, required values, counts and indexes.
    enum Check {
        /// `allowedCount` is the number of references that may lead to no object, and do.
        case sound(objectCount: Int, referenceCount: Int, allowedCount: Int)
        /// The first problems, and the total number of problems.
        case unsound([String], count: Int)
        /// The check could not be completed, with the reason.
        case failed(String)
        /// The store could not be checked at all, with the reason.
        case impossible(String)
    }

    /// The maximum number of problems that a survey contains.
    static let mostProblems = 50

    let name: String
    let path: String
    let type: StoreType
    let identifier: String
    let versionIdentifiers: [String]
    let files: [File]
    /// The numbers of objects, by the entity names that the store records. An entity is absent if its objects
    /// cannot be counted.
    let counts: [String: Int]
    /// Whether all objects were counted.
    let isCountComplete: Bool
    let model: ManagedObjectModel?
    let modelOrigin: ModelOrigin?
    let check: Check
    /// The samples, by the names of the model's entities.
    let samples: [String: EntitySample]

    /// Examines a store.
    ///
    /// Reads the whole store twice to check it. Meanwhile, keeps in memory an ID of each object, but only the
    /// values of the samples.
    ///
    /// - Parameter sampleCount: The number of objects in the sample of each entity.
    init(_ tool: ToolStore, sampleCount: Int) {
        let location = tool.location
        path = PathAlias.shown(in: location.fileURL?.path ?? "\(location)")
        name = String(path.split(separator: "/").last ?? "")
        type = tool.metadata.type
        identifier = tool.metadata.identifier
        versionIdentifiers = tool.metadata.modelVersionIdentifiers.filter { !$0.isEmpty }
        files = Self.files(of: tool)
        let counts = try? tool.entityCounts()
        isCountComplete = counts != nil
        do {
            let (model, origin) = try tool.modelAndOrigin()
            self.model = model
            modelOrigin = origin
            let reading = Self.read(tool, model, sampleCount: sampleCount)
            check = reading.check
            samples = reading.samples
            self.counts = counts ?? reading.counts
        } catch {
            (model, modelOrigin, samples) = (nil, nil, [:])
            self.counts = counts ?? [:]
            check = .impossible(PathAlias.shown(in: "\(error)"))
        }
    }

    private static func files(of tool: ToolStore) -> [File] {
        guard let main = tool.location.fileURL else { return [] }
        let companions = tool.fileEngine?.companionFiles(of: tool.location) ?? []
        return ([main] + companions.filter { $0.role == .data }.map(\.url)).compactMap { url in
            guard let count = try? url.byteCount(followingLink: url == main), count > 0 else {
                return nil
            }
            return File(name: url.lastPathComponent, byteCount: count)
        }
    }

    /// The results that need an open store.
    private struct Reading {
        var check: Check
        var counts: [String: Int] = [:]
        var samples: [String: EntitySample] = [:]
    }

    /// Checks the store, and reads samples and counts of whatever can be read.
    private static func read(
        _ tool: ToolStore, _ model: ManagedObjectModel, sampleCount: Int
    ) -> Reading {
        do {
            try tool.requireNoPendingSave()
            let store = try tool.open(with: model)
            defer { try? store.close() }
            let snapshot = try store.snapshot()
            defer { snapshot.end() }
            let sampler = EntitySampler(
                snapshot: snapshot, layouts: store.request.layouts, count: sampleCount)
            var reading = Reading(check: check(store, snapshot))
            for entity in model.entities where !entity.isAbstract {
                reading.samples[entity.name] = sampler.sample(of: entity)
                let plan = FetchPlan(entity: entity, includesSubentities: false)
                reading.counts[entity.name] = (try? snapshot.count(plan)).flatMap(\.self)
            }
            return reading
        } catch {
            return Reading(check: .failed(PathAlias.shown(in: "\(error)")))
        }
    }

    private static func check(
        _ store: any PersistentStore, _ snapshot: any StoreSnapshot
    ) -> Check {
        var problems: [String] = []
        do {
            problems += try ((store as? any SelfCheckingStore)?.findAllDisagreements() ?? [])
                .map(\.description)
            let report = try StoreVerifier(
                snapshot: snapshot, layouts: store.request.layouts
            ).verify()
            problems += report.problems.map(\.description)
            guard problems.isEmpty else {
                return .unsound(
                    Array(problems.prefix(mostProblems)), count: problems.count)
            }
            return .sound(
                objectCount: report.objectCount, referenceCount: report.referenceCount,
                allowedCount: report.allowed.count)
        } catch {
            let text = PathAlias.shown(in: "\(error)")
            guard !problems.isEmpty else { return .failed(text) }
            let all = problems.prefix(mostProblems) + [text]
            return .unsound(Array(all), count: problems.count + 1)
        }
    }

    /// The size of all files of the store, in bytes.
    var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
    /// The number of objects. `nil` if not all objects can be counted.
    var objectCount: Int? { isCountComplete ? counts.values.reduce(0, +) : nil }
}
