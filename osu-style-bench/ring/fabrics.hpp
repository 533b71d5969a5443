#pragma once
// The two fabrics of the study: each makes an endpoint of shared memory into one end of a link.

#include <utility>

#include "osu-style-bench/ring/job.hpp"
#include "runtime/fabric/costed/endpoint.hpp"

namespace rb2::bench::study {

/// Shared memory as it is.
struct Bare {
    template <class Inner>
    using Endpoint = Inner;

    template <class Inner>
    class Port {
      public:
        template <class... Args>
        explicit Port(const Job&, Args&&... args) : inner_(std::forward<Args>(args)...) {}
        [[nodiscard]] Inner& endpoint() noexcept { return inner_; }
        void land() noexcept {}

      private:
        Inner inner_;
    };
};

/// Shared memory on which operations have the prices of job.costs.
struct Costed {
    template <class Inner>
    using Endpoint = fabric::costed::Endpoint<Inner>;

    template <class Inner>
    class Port {
      public:
        template <class... Args>
        explicit Port(const Job& job, Args&&... args)
            : inner_(std::forward<Args>(args)...), priced_(inner_, job.costs) {}
        [[nodiscard]] Endpoint<Inner>& endpoint() noexcept { return priced_; }
        void land() noexcept { priced_.land(); }

      private:
        Inner inner_;
        Endpoint<Inner> priced_;
    };
};

}  // namespace rb2::bench::study
