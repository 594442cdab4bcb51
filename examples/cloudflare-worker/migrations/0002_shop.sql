-- What the commands of this shop write. Rows are unique by the command's execution id, so that a repeated attempt adds none.
create table shop_role (
  user_id text not null,
  role text not null,
  primary key (user_id, role)
) strict;

create table shop_receipt (
  execution_id text primary key,
  order_id text not null,
  sent_at integer not null
) strict;
